#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every file must be: licensed, UTF-8, clean at line ends, short enough to be read at a sitting.

The headers of the library are included after Qt's and after macros of programs, so they do not use the names of those.
"""
import re

import source

LIMIT = 600
# Files whose content is not ours to format: quoted output, recorded data, a patch, the licence.
DATA = (".expected", ".cps.in", ".golden", ".json", ".patch", ".txt", ".csv", ".svg", ".png", ".html", ".xz",
        ".zst", ".bin", ".gz")
# Files of package systems in which no comment may stand.
BARE = {"LICENSE", "packaging/debian/changelog", "packaging/debian/source/format", "packaging/vcpkg/ports/linn/usage"}
SPDX = "SPDX-License-Identifier: Apache-2.0"
# Spelled in two halves, or this file would report itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")

# Names that are macros elsewhere: keywords of Qt, words of windows.h, and attributes that are not in their reserved spelling.
TAKEN = re.compile(r"\b(emit|slots|signals|foreach|forever|used|unused|small|near|far|interface)\b|\bgnu::\w+|\[\[(un)?likely\b|\[\[noreturn\b"
                   r"|\(\((?!__)\w+")


def is_source(name):
    return (name.endswith(source.CXX + (".py", ".cmake", ".sh")) or name.startswith("scripts/")
            or name.rsplit("/", 1)[-1] in ("CMakeLists.txt", "Makefile"))


def check_file(root, name):
    if name in BARE:
        return []
    base = name.rsplit("/", 1)[-1]
    if base.endswith(DATA) and base != "CMakeLists.txt":
        return []
    try:
        text = (root / name).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"{name}:1: is not UTF-8: {error.reason}"]
    lines = text.split("\n")
    problems = []
    # At the end of a page it does not stand before what the reader came for.
    places = lines[:10] + (lines[-5:] if name.endswith(".md") else [])
    if text and not any(SPDX in line for line in places):
        problems.append(f"{name}:1: has no line '{SPDX}'")
    if is_source(name) and len(lines) > LIMIT + 1:
        problems.append(f"{name}:{LIMIT + 1}: has {len(lines) - 1} lines, {LIMIT} are allowed")
    if text and not text.endswith("\n"):
        problems.append(f"{name}:{len(lines)}: does not end with a newline")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            problems.append(f"{name}:{number}: space at the end of the line")
        if "\t" in line and base not in ("Makefile", "rules") and not base.endswith(".mk"):
            problems.append(f"{name}:{number}: tab")
        if is_source(name) and UNFINISHED.search(line):
            problems.append(f"{name}:{number}: unfinished work belongs in no file")
    if name.startswith("include/linn/") and name != "include/linn/detail/core/compiler.hpp":
        for number, line in enumerate(source.code_only(text).split("\n"), 1):
            for taken in re.finditer(TAKEN, line):
                if not taken[0].startswith("((") or "__attribute__" in line[:taken.start()]:
                    problems.append(f"{name}:{number}: {taken[0].lstrip('[(')} is a macro elsewhere")
    return problems


def check(root):
    return [problem for name in source.files(root) for problem in check_file(root, name)]


OK = "// " + SPDX + "\n"
PLANTED = [
    ({"a.cpp": "int x;\n"}, "has no line"),
    ({"scripts/tool": "#!/bin/sh\n"}, "has no line"),
    ({"a.md": "# Title\n"}, "has no line"),
    ({"a.hpp": OK + "int x;\n" * LIMIT}, "are allowed"),
    ({"a.hpp": OK + "int x; \n"}, "space at the end"),
    ({"a.hpp": OK + "\tint x;\n"}, "tab"),
    ({"a.hpp": OK + "int x;\r\n"}, "space at the end"),
    ({"a.hpp": OK + "int x;"}, "does not end"),
    ({"a.hpp": OK.encode() + b"// \xff\n"}, "is not UTF-8"),
    ({"a.hpp": OK + "// TO" + "DO: later\n"}, "unfinished"),
    ({"include/linn/a.hpp": OK + "int emit;\n"}, "emit is a macro elsewhere"),
    ({"include/linn/a.hpp": OK + "[[gnu::noinline]] int x();\n"}, "gnu::noinline is a macro elsewhere"),
    ({"include/linn/a.hpp": OK + "if (x) [[likely]] {\n"}, "likely is a macro elsewhere"),
    ({"include/linn/a.hpp": OK + "__attribute__((weak)) int x();\n"}, "weak is a macro elsewhere"),
    ({"include/linn/a.hpp": OK + "[[__cold__]] int x((y)); // emit, used\n",
      "include/linn/detail/core/compiler.hpp": OK + "#define NOINLINE gnu::noinline\n"}, None),
    ({"a.hpp": OK + "int x;\n" * (LIMIT - 1), "Makefile": "# " + SPDX + "\na:\n\tb\n",
      "a.md": "# Title\n\n<!-- " + SPDX + " -->\n", "a.json": "{}", "LICENSE": "\t"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
