#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The size of the project: no number grows beyond the bound below, which is lowered when a number falls.

The goal is the size that one person can own. A bound that is above its goal is a debt; a change that needs more has to delete something.
"""
import re
import sys

import source

#        what                            bound     goal
BOUNDS = {
    "include/: lines": (16086, 13500),
    "tool/: lines": (54995, 55000),
    "tool/: files": (238, 420),
    "tool/: files of C++ below 40 lines": (4, 60),
    "tests/: lines": (54697, 55000),
    "docs/, README, CONTRIBUTING: words": (54889, 55000),
    "CHANGELOG: words": (898, 900),
}
DATA = re.compile(r"\.(bin|png|ico|linn|zst|gz)$|^tests/fuzz/corpus/")
PAGES = ("README.md", "CONTRIBUTING.md")


def sizes(root):
    """What BOUNDS names, counted."""
    found = dict.fromkeys(BOUNDS, 0)
    for name in source.files(root):
        folder = name.split("/")[0]
        if DATA.search(name) or folder not in ("include", "tool", "tests", "docs", *PAGES, "CHANGELOG.md"):
            continue
        text = source.read(root, name)
        if folder in ("include", "tool", "tests"):
            found[f"{folder}/: lines"] += text.count("\n")
        if folder == "tool":
            found["tool/: files"] += 1
            found["tool/: files of C++ below 40 lines"] += name.endswith((".cpp", ".hpp")) and text.count("\n") < 40
        if name.endswith(".md") and (folder == "docs" or name in PAGES):
            found["docs/, README, CONTRIBUTING: words"] += len(text.split())
        if name == "CHANGELOG.md":
            found["CHANGELOG: words"] = len(text.split())
    return found


def check(root):
    return [f"{what}: {number}, and the bound is {BOUNDS[what][0]}: delete as much, or ask for a higher bound"
            for what, number in sizes(root).items() if number > BOUNDS[what][0]]


def table(root):
    rows = [f"{what:36} {number:8} bound {BOUNDS[what][0]:8} goal {BOUNDS[what][1]:8}" for what, number in sizes(root).items()]
    return "\n".join(rows)


PLANTED = [
    ({"CHANGELOG.md": "word " * (BOUNDS["CHANGELOG: words"][0] + 1)}, "CHANGELOG: words"),
    ({f"tool/{i}.cpp": "\n" for i in range(BOUNDS["tool/: files of C++ below 40 lines"][0] + 1)}, "below 40 lines"),
    ({"tool/a.cpp": "\n" * (BOUNDS["tool/: lines"][0] + 1)}, "tool/: lines"),
    ({"docs/a.md": "word\n", "tests/fuzz/corpus/a.bin": b"\xff\n", "tests/a.cpp": "\n", "CHANGELOG.md": "word\n"}, None),
]

if __name__ == "__main__":
    if not sys.argv[1:]:
        print(table(source.ROOT))
    source.main(check, PLANTED)
