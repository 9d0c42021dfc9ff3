#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C++ is formatted by the pinned clang-format; --fix formats it."""
import re
import shutil
import subprocess
import sys

import source

PINNED = "19"


def find():
    """The pinned clang-format, None if it is not installed: other versions format differently."""
    for name in (f"clang-format-{PINNED}", "clang-format"):
        path = shutil.which(name)
        if path:
            run = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            if f"version {PINNED}." in run.stdout:
                return path
    return None


def run_over(root, *arguments):
    names = [name for name in source.files(root) if name.endswith(source.CXX)]
    style = f"--style=file:{source.ROOT / '.clang-format'}"
    run = subprocess.run([find(), style, *arguments, *names], cwd=root, capture_output=True,
                         text=True, check=False) if names else None
    if not run or run.returncode == 0:
        return []
    places = re.findall(r"^(.+?):(\d+):\d+: error: ", run.stderr, re.MULTILINE)
    if not places:
        return run.stderr.splitlines()
    first = {}
    for name, line in places:
        first.setdefault(name, line)
    return [f"{name}:{line}: not as clang-format {PINNED} writes it: run `make format`"
            for name, line in first.items()]


def check(root):
    return run_over(root, "--dry-run", "-Werror")


PLANTED = [
    ({"a.cpp": "int  x ;\n"}, "clang-format"),
    ({"a.cpp": "int x;\n"}, None),
]

if __name__ == "__main__":
    if find() is None:
        print(f"linn: skipped: clang-format {PINNED} is not installed")
        sys.exit(77)
    if sys.argv[1:] == ["--fix"]:
        sys.exit(source.report(run_over(source.ROOT, "-i")))
    source.main(check, PLANTED)
