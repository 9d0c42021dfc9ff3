# SPDX-License-Identifier: Apache-2.0
"""What every script of cases has: `check`, skipping, and a main that runs the case named on the command line.

A script defines functions `case_NAME(tool)` and calls `main(globals(), make_tool, …)`; CMake registers one ctest a case and
one that compares its list with the script's (`--registered`).
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

SKIPPED = 77


def check(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def skip_without(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"there is no {program}")


def prose(text):
    """The text in one line, so that a test does not depend on where lines are broken."""
    return " ".join(text.split())


def named(items):
    """NAME=PATH words of the command line as a dictionary."""
    return dict(item.split("=", 1) for item in items)


def main(names, make_tool, lists=(), options=()):
    """Runs a case of `names` with `make_tool(arguments, folder)`, the folder being empty and removed afterwards.

    `lists` are options that may be repeated, such as "library"; `options` are others beside --linn.
    """
    cases = {name[len("case_"):]: function for name, function in names.items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description=names["__doc__"])
    parser.add_argument("--linn", type=os.path.abspath)
    for option in lists:
        parser.add_argument("--" + option, action="append", default=[])
    for option in options:
        parser.add_argument("--" + option)
    parser.add_argument("--registered", nargs="+", help="check that this list names every case")
    parser.add_argument("case", nargs="?", choices=sorted(cases))
    arguments = parser.parse_args()
    if arguments.registered:
        check(sorted(arguments.registered) == sorted(cases), f"cases are {sorted(cases)}")
        return
    if arguments.case is None:
        parser.error(f"which case? There are {', '.join(sorted(cases))}")
    with tempfile.TemporaryDirectory(prefix="linn-cases-") as folder, tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # which allocators a user has built must not decide a test
        cases[arguments.case](make_tool(arguments, pathlib.Path(folder)))
