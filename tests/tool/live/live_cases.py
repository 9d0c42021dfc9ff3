# SPDX-License-Identifier: Apache-2.0
"""`linn record --live` on a program whose nodes stay: what is drawn, where, and that the trace is the same."""
import json
import os
import pty
import re
import subprocess
import time

import cases
from cases import check

LIMIT = 60
LINE = re.compile(r"linn record: \S+ s: live (\d\S* [KMG]?i?B) in (\S+) blocks?, of \S+(?: [kMG])? blocks? allocated(?:; most of it is (.*))?$")


class Tool(cases.Tool):
    def words(self, *options):
        return [self.linn, "record", *options, "--no-baseline", "-o", "a.linn"]

    def stop_program(self):
        (self.folder / "stop").touch()


def lines_until(stream, holds):
    """The lines up to one that is as wanted."""
    lines = []
    for line in stream:
        lines.append(line.rstrip("\n"))
        if holds(lines[-1]):
            return lines
        check(len(lines) < LIMIT, lines)
    check(False, f"it ended: {lines}")


def grown(line):
    """Whether a line tells of many nodes."""
    found = LINE.match(line)
    return found and "MiB" in found[1] and "leaked_node" in (found[3] or "")


def watch(tool, *words, holds=grown):
    """Runs linn record without a terminal until a line is as wanted, then lets the program end."""
    with subprocess.Popen(words, cwd=tool.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        lines = lines_until(process.stderr, holds)
        tool.stop_program()
        out, err = process.communicate(timeout=LIMIT)
    check(process.returncode == 0, err)
    return lines, out


def case_lines_without_terminal(tool):
    """A line a second of plain text, also of what no thread has handed over yet; the program keeps its output."""
    lines, out = watch(tool, *tool.words("--live"), "--", tool.programs["advised"], "grow", "stop")
    check(out.startswith("program is ready") and out.endswith("program is done\n"), out)
    check(all(LINE.match(line) for line in lines), lines)
    check("\033" not in "".join(lines), lines)


def case_terminal(tool):
    """The table is drawn again in its place, with the types by live bytes."""
    main, other = pty.openpty()
    with subprocess.Popen([*tool.words("--live"), "--", tool.programs["advised"], "grow", "stop"], cwd=tool.folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=other, env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"}) as process:
        os.close(other)
        text, end = "", time.monotonic() + LIMIT
        while len(re.findall(r"leaked_node +\d", text)) < 2:
            check(time.monotonic() < end, text)
            text += os.read(main, 65536).decode(errors="replace")
        tool.stop_program()
        while True:
            try:
                if not os.read(main, 65536):
                    break
            except OSError: # the other end is closed
                break
    os.close(main)
    check(process.returncode == 0, text)
    drawings = text.split("\033[H\033[J")[1:]
    check(len(drawings) >= 2 and all("live" in d for d in drawings), text)
    blocks = [int(re.search(r"leaked_node +(\d[\d\u202f ]*?)  ", d)[1].replace(" ", "").replace("\u202f", "")) for d in drawings
              if "leaked_node  " in d and "B  " in d]
    check(blocks == sorted(blocks), text)


def case_same_trace(tool):
    def events_of(file, *options):
        tool.call("record", "-q", "--no-baseline", *options, "-o", file, "--", tool.programs["advised"], "grow", 500, status=0)
        return json.loads(tool.call("trace", file, "--leaks", "--json", "-", status=0).stdout)["types"]
    check(events_of("without.linn") == events_of("with.linn", "--live") != [], "another trace")


def case_sampled(tool):
    """The figures of a sample are estimates of the whole: blocks of about 1 KiB."""
    watch(tool, *tool.words("--live", "--sample", "4096"), "--", tool.programs["advised"], "grow", "stop")


def case_attached(tool):
    with subprocess.Popen([tool.programs["advised"], "grow", "stop"], cwd=tool.folder, stdout=subprocess.PIPE, text=True) as program:
        words = [tool.linn, "record", "--live", "-o", "a.linn", "--pid", str(program.pid)]
        with subprocess.Popen(words, cwd=tool.folder, stderr=subprocess.PIPE, text=True) as linn:
            first = linn.stderr.readline()
            if "ptrace" in first or "not permitted" in first:
                tool.stop_program()
                cases.skip("this machine lets nobody attach: " + first)
            lines_until(linn.stderr, grown)
            tool.stop_program()
            linn.stderr.read()
        check(linn.returncode == 0 and program.stdout.read().endswith("program is done\n"), "the program came to harm")
        check(program.wait(LIMIT) == 0, "the program failed")

