#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every verb writes into a pipe or a file: all columns, since nobody can widen a file. One case a verb."""
import json
import os
import pathlib
import subprocess

from cases import check, main, named, prose

HIDDEN = "hidden columns: "
SMALL = ["--n", "2000", "--objects", "500", "--rounds", "2", "--work", "1", "--only", "linn"]


class Tool:
    def __init__(self, linn, libraries, programs, folder):
        self.linn = linn
        self.library = f"mine={named(libraries)['malloc_only']}"
        self.program = named(programs)["allocates"]
        self.folder = pathlib.Path(folder)

    def call(self, *words, columns=None, status=0):
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        environment |= {"COLUMNS": str(columns)} if columns else {}
        done = subprocess.run([self.linn, *map(str, words)], capture_output=True, text=True, timeout=100, cwd=self.folder,
                              stdin=subprocess.DEVNULL, env=environment)
        check(done.returncode == status, f"{words}: exit status {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def trace(self):
        self.call("record", "-q", "-o", "a.linn", "--", self.program, "2000")
        return "a.linn"

    def keeps(self, headings, *words):
        """All the headings are there without COLUMNS; where a narrow place hides some, it names them."""
        text = self.call(*words)
        for heading in headings:
            check(heading in text, f"{words}: no '{heading}' in a pipe: {text}")
        check(HIDDEN not in text and "\033" not in text, f"{words}: {text}")
        narrow = prose(self.call(*words, columns=40))
        check(HIDDEN in narrow and "(widen the terminal or use --json)" in narrow, f"{words}: {narrow}")


def case_bench(tool):
    tool.keeps(["min", "ns", "x glibc", "MiB", "published"], "bench", "object", "containers", *SMALL)
    tool.keeps(["MiB"], "bench", "shared-ptr", "zero-fill", *SMALL)


def case_run(tool):
    tool.keeps(["95 %", "verdict", "MiB", "faults", "switches"], "run", "--rounds", "2", "--warm-up", "0", "--allocator",
               tool.library, "--only", "mine", "--", tool.program, "1000")


def case_trace(tool):
    tool.keeps(["share", "began", "dropped", "build id", "process"], "trace", tool.trace())


def case_advise(tool):
    tool.keeps(["count", "share", "size", "live", "life", "remote", "gain", "use"], "advise", "--no-replay", tool.trace())


def case_replay(tool):
    tool.keeps(["CPU ms", "ratio", "ns a request", "program", "from", "to", "peak MiB"], "replay", "--rounds", "2",
               "--allocators", "linn,null", tool.trace())


def case_compare(tool):
    for file in ("old", "new"):
        tool.call("run", "--rounds", "8", "--warm-up", "0", "--allocator", tool.library, "--only", "mine", "--json",
                  f"{file}.json", "--", tool.program, "1000")
    path = tool.folder / "new.json"
    slower = json.loads(path.read_text())
    for row in slower["rows"]:
        for sample in row["samples"]:
            sample["values"]["peak_rss_bytes"] *= 3
    path.write_text(json.dumps(slower))
    tool.keeps(["old", "new", "change", "interval"], "compare", "--fail-on", "never", "--by", "absolute", "--metric",
               "peak_rss_bytes", "old.json", "new.json")


def case_allocators(tool):
    # What a narrow place has no column for stands below the table.
    check("proven by" in tool.call("allocators", "--allocator", tool.library).splitlines()[0], "no column is lost")


if __name__ == "__main__":
    main(globals(), lambda arguments, folder: Tool(arguments.linn, arguments.library, arguments.program, folder),
         lists=("library", "program"))
