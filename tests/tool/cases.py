# SPDX-License-Identifier: Apache-2.0
"""What the scripts of cases share: `check`, skipping, and the tool in a folder of its own.

A script defines functions `case_NAME(tool)`, and a class `Tool` where it needs more than the one here. pytest runs them
(conftest.py); CMake registers one test for each (`linn_add_cases`).
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

skip = pytest.skip


def check(condition, message):
    if not condition:
        pytest.fail(str(message), pytrace=False)


def skip_without(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"there is no {program}")


def skip_if_sanitized(standard_error):
    """A tool with AddressSanitizer starts with no library before the sanitizer's."""
    if "ASan runtime does not come first" in standard_error:
        skip("this build of the tool takes no preload")


def prose(text):
    """The text in one line, so that a test does not depend on where lines are broken."""
    return " ".join(text.split())


def wait_for(condition, what, seconds=60):
    """Waits until the condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        check(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(0.01)
    return found


def runs(pid):
    """Whether the process has not ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid):
    return subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()


def processes_with(word, session=None):
    """The processes that have this word on their command line, of one session or of any."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(word).encode() in entry.read_bytes().split(b"\0") and session in (None, os.getsid(int(entry.parent.name))):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def named(items):
    """NAME=PATH words of the command line as a dictionary."""
    return dict(item.split("=", 1) for item in items)


REFERENCE = pathlib.Path(__file__).parents[2] / "docs/reference"
# Objects whose fields have the names of what was measured.
NAMED = {"providers", "values", "estimates", "noise", "noise_floor", "claim_threshold", "phases", "metrics", "calls", "kinds"}


def names_in(page, heading):
    """The names in the first column, which has this heading, of a table of the guide, without remarks in brackets."""
    table = (REFERENCE.parent / "guide" / page).read_text().split(f"\n| {heading} |")[1].split("\n\n")[0]
    return re.findall(r"`([a-z0-9-]+)`", re.sub(r"\([^)]*\)", "", " ".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE))))


def fields_of(value, named=False):
    if isinstance(value, dict):
        return set().union(set() if named else value, *(fields_of(part, name in NAMED) for name, part in value.items()))
    return set().union(*map(fields_of, value)) if isinstance(value, list) else set()


def result_of(text, lacks=None):
    """A result that the tool wrote as JSON. The page of its schema names every field; with `lacks` the result has every field
    that is first in a row of the page's tables, except those."""
    result = json.loads(text)
    page = (REFERENCE / (re.match(r"linn\.([a-z-]+)/", result["schema"])[1] + "-json.md")).read_text()
    check(f"`{result['schema']}`" in page.replace('"', ""), f"the page describes another version than {result['schema']}")
    names = r"`(?:[a-z_]+\.)?([a-z_0-9]+)`"
    parts = "".join((REFERENCE / linked).read_text() for linked in re.findall(r"\(([a-z-]+-json\.md)\)", page))
    unknown = fields_of(result) - set(re.findall(names, page + parts))
    check(not unknown, f"docs/reference says nothing of {sorted(unknown)}")
    if lacks is not None:
        described = set(re.findall(names, " ".join(re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE))))
        check(described - fields_of(result) == set(lacks), f"not in the result: {sorted(described - fields_of(result))}")
    return result


def csv_of(file, *commands):
    """The lines of a CSV file. Its heading has the columns that docs/reference/csv.md names for these commands, in their order."""
    page = (REFERENCE / "csv.md").read_text()
    tables = "".join(page.split(f"## `linn {command}`")[1].split("\n## ")[0] for command in commands)
    columns = re.findall(r"`([a-z_]+)`", " ".join(re.findall(r"^\| (`[^|]*) \|", tables, re.MULTILINE)))
    rows = rows_of(pathlib.Path(file).read_text(encoding="utf-8"))
    check(list(rows[0]) == columns, f"the columns {list(rows[0])}, and described are {columns}")
    return rows


def rows_of(text):
    """The lines of a text as CSV, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


class Tool:
    """`linn` in an empty folder, with the programs and libraries that the command line names."""

    limit = 100  # seconds that a call may take

    def __init__(self, given, folder):
        self.linn, self.folder = given.linn, folder
        self.programs, self.libraries = named(given.program), named(given.library)

    def call(self, *words, status=None, env=None, **more):
        """Runs linn with these words and looks at its exit status, if one is wanted."""
        if "input" not in more:
            more.setdefault("stdin", subprocess.DEVNULL)
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")} | (env or {})
        done = subprocess.run([self.linn, *map(str, words)], capture_output=True, text=True, timeout=self.limit,
                              env=environment, **{"cwd": self.folder} | more)
        if status is not None:
            check(done.returncode == status, f"{words}: exit status {done.returncode}, not {status}: {done.stderr}{done.stdout}")
        return done

    def start(self, *words, env=None, **more):
        """Starts linn with these words, its output in pipes."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([self.linn, *map(str, words)], text=True, cwd=self.folder, env=os.environ | (env or {}),
                                **streams | more)

    def instructions(self, *command, recorded=False, env=None):
        """How many instructions a program executes, by callgrind."""
        skip_without("valgrind")
        out = self.folder / "callgrind.out"
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *map(str, command)]
        if recorded:
            words = [self.linn, "record", "--no-baseline", "-q", "-o", self.folder / "callgrind.linn", "--", *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=self.limit, env=os.environ | (env or {}))
        check(done.returncode == 0, done.stderr)
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)[1])

    def instructions_of_recorder(self, count, *command):
        """How many it executes for each action of the command, whose last word is the number of actions."""
        plain, recorded = ([self.instructions(*command, n, recorded=is_recorded) for n in (count, 2 * count)]
                           for is_recorded in (False, True))
        each = (recorded[1] - recorded[0] - plain[1] + plain[0]) / count
        print(f"{each:.1f} instructions each")
        return each

    def refuses(self, verb, rows):
        """Each of the (words, wanted) is a usage error whose message holds what is wanted."""
        for words, wanted in rows:
            done = self.call(*verb, *words, status=2)
            check(done.stdout == "", f"{words}: a usage error wrote to standard output: {done.stdout}")
            for text in [wanted] if isinstance(wanted, str) else wanted:
                check(text in prose(done.stderr), f"{words}: {text!r} is not in {done.stderr!r}")

    def fits(self, widths, *words, status=0, apart=lambda line: False):
        """No line is longer than COLUMNS says, but for those that stand `apart`. Returns the last call."""
        for width in widths:
            done = self.call(*words, status=status, env={"COLUMNS": str(width)})
            for line in done.stdout.splitlines():
                check(len(line) <= width or apart(line), f"{len(line)} columns instead of {width}: {line}")
            check("\033" not in done.stdout + done.stderr and "\r" not in done.stderr, "escape codes in a pipe")
        return done
