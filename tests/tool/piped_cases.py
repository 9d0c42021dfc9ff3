# SPDX-License-Identifier: Apache-2.0
"""What every verb writes into a pipe or a file: all columns, since nobody can widen a file."""
import json

import cases
from cases import check, prose

HIDDEN = "hidden columns: "
SMALL = ["--n", "2000", "--objects", "500", "--rounds", "2", "--work", "1", "--only", "linn"]


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.library = f"mine={self.libraries['malloc_only']}"
        self.program = self.programs["allocates"]

    def text(self, *words, **more):
        return self.call(*words, status=0, **more).stdout

    def trace(self):
        self.text("record", "-q", "-o", "a.linn", "--", self.program, "2000")
        return "a.linn"

    def keeps(self, *words):
        """No column is hidden without COLUMNS; where a narrow place hides some, it names them."""
        text = self.text(*words)
        check(HIDDEN not in text and "\033" not in text, f"{words}: {text}")
        narrow = prose(self.text(*words, env={"COLUMNS": "40"}))
        check(HIDDEN in narrow and "(widen the terminal or use --json)" in narrow, f"{words}: {narrow}")


def case_bench(tool):
    tool.keeps("bench", "object", "containers", *SMALL)


def case_run(tool):
    tool.keeps("run", "--rounds", "2", "--warm-up", "0", "--allocator", tool.library, "--only", "mine", "--", tool.program, "1000")


def case_trace(tool):
    tool.keeps("trace", tool.trace())


def case_advise(tool):
    tool.keeps("advise", tool.trace())


def case_try(tool):
    tool.keeps("try", "--rounds", "2", "--warm-up", "0", "--type", "order", "--", tool.programs["churn"], "20000")


def case_compare(tool):
    for file in ("old", "new"):
        tool.text("run", "--rounds", "8", "--warm-up", "0", "--allocator", tool.library, "--only", "mine", "--json",
                  f"{file}.json", "--", tool.program, "1000")
    path = tool.folder / "new.json"
    slower = json.loads(path.read_text())
    for row in slower["rows"]:
        for sample in row["samples"]:
            sample["values"]["peak_rss_bytes"] *= 3
    path.write_text(json.dumps(slower))
    tool.keeps("compare", "--fail-on", "never", "--by", "absolute", "--metric", "peak_rss_bytes", "old.json", "new.json")


def case_allocators(tool):
    # What a narrow place has no column for stands below the table.
    check("proven by" in tool.text("allocators", "--allocator", tool.library).splitlines()[0], "no column is lost")
