#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code in the documentation is code that compiles: each marked block equals its source; --fix copies.

    <!-- snippet: examples/01_pool.cpp -->          the file, without its licence and region lines
    <!-- snippet: examples/01_pool.cpp#region -->   what stands between // [region] and // [/region], or # in their place
    <!-- output: examples/01_pool.expected -->      the file as it is

A mark stands in the line before its block. Every block of C++ in README.md and docs/ needs one.
"""
import re
import sys
import textwrap

import source

MARK = re.compile(r"^\s*<!--\s*(snippet|output):\s*(\S+?)(?:#(\S+))?\s*-->\s*$")
FENCE = re.compile(r"^(`{3,}|~{3,})\s*([\w+-]*)")
REGION = re.compile(r"^\s*(?://|#) \[(/?)([\w-]+)\]\s*$")
CXX_NAMES = ("cpp", "c++", "cxx", "cc", "hpp", "h")


def region(text, name):
    """The lines of one region, moved to the left margin; None if it is not there."""
    lines, inside, found = [], False, False
    for line in text.split("\n"):
        edge = REGION.match(line)
        if edge and edge.group(2) == name:
            inside = not edge.group(1)
            found = True
        elif inside and not edge:
            lines.append(line)
    return textwrap.dedent("\n".join(lines)).strip("\n") if found and not inside else None


def whole(text):
    lines = [line for line in text.split("\n")
             if not REGION.match(line) and "SPDX-License-Identifier" not in line]
    return "\n".join(lines).strip("\n")


def wanted(root, kind, path, part):
    """What the block must hold: (text, None) or (None, problem)."""
    if not (root / path).is_file():
        return None, f"{path}: no such file"
    text = source.read(root, path)
    if kind == "output":
        return text.rstrip("\n"), None
    if part is None:
        return whole(text), None
    found = region(text, part)
    return (found, None) if found is not None else (None, f"{path}: no region [{part}]")


def blocks(lines):
    """(line of the opening fence, line of the closing one, language) of each block, from 0."""
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number].lstrip())
        if fence:
            end = number + 1
            while end < len(lines) and lines[end].strip() != fence.group(1):
                end += 1
            yield number, end, fence.group(2).lower()
            number = end
        number += 1


def is_documentation(name):
    return name.endswith(".md") and (name == "README.md" or name.startswith("docs/"))


def page(root, name, text):
    """The page as it should be, and what cannot be repaired or was not so."""
    lines = text.split("\n")
    result, problems, copied, used = [], [], 0, set()
    for begin, end, language in blocks(lines):
        mark = MARK.match(lines[begin - 1]) if begin else None
        if not mark:
            if language in CXX_NAMES and is_documentation(name):
                problems.append((f"{name}:{begin + 1}: C++ without a mark "
                                 "<!-- snippet: FILE --> in the line before", False))
            continue
        used.add(begin - 1)
        expected, problem = wanted(root, *mark.groups())
        if problem:
            problems.append((f"{name}:{begin}: {problem}", False))
            continue
        if "\n".join(lines[begin + 1:end]) != expected:
            problems.append((f"{name}:{begin + 1}: differs from {mark.group(2)}: "
                             "run scripts/lint/snippets.py --fix", True))
        result += lines[copied:begin + 1] + expected.split("\n")
        copied = end
    for number, line in enumerate(lines):
        if MARK.match(line) and number not in used:
            problems.append((f"{name}:{number + 1}: a mark with no block in the next line", False))
    return "\n".join(result + lines[copied:]), problems


def pages(root):
    for name in source.files(root):
        if name.endswith(".md"):
            yield name, source.read(root, name)


def check(root):
    return [problem for name, text in pages(root) for problem, _ in page(root, name, text)[1]]


def fix(root, tell=print):
    """Copies what can be copied; returns the other problems."""
    left = []
    for name, text in pages(root):
        repaired, problems = page(root, name, text)
        left += [problem for problem, repairable in problems if not repairable]
        if repaired != text:
            (root / name).write_text(repaired, encoding="utf-8")
            tell(f"{name}: brought up to date")
    return left


def fixed(root):
    """For the self-test: what is left after --fix."""
    fix(root, tell=lambda text: None)
    return check(root)


EXAMPLE = {"examples/a.cpp": "// SPDX-License-Identifier: x\n\nint main() {\n    // [one]\n"
                             "    int x;\n      int y;\n    // [/one]\n}\n",
           "examples/a.expected": "1\n2\n", "examples/open.cpp": "// [one]\nint x;\n"}
FILE = "<!-- snippet: examples/a.cpp -->\n```cpp\n%s\n```\n"
PART = "<!-- snippet: examples/a.cpp#one -->\n```cpp\n%s\n```\n"
OUTPUT = "<!-- output: examples/a.expected -->\n```text\n%s\n```\n"
GOOD = (FILE % "int main() {\n    int x;\n      int y;\n}" + PART % "int x;\n  int y;"
        + OUTPUT % "1\n2" + "```sh\nmake\n```\n")
PLANTED = [
    ({**EXAMPLE, "README.md": FILE % "int main() {}"}, "README.md:2: differs from examples/a.cpp"),
    ({**EXAMPLE, "docs/a.md": "\n" + PART % "int x;"}, "docs/a.md:3: differs"),
    ({**EXAMPLE, "docs/a.md": OUTPUT % "1"}, "docs/a.md:2: differs from examples/a.expected"),
    ({**EXAMPLE, "docs/a.md": OUTPUT % "1\n2\n"}, "differs"),
    ({"docs/a.md": FILE % ""}, "no such file"),
    ({**EXAMPLE, "docs/a.md": PART.replace("#one", "#two") % ""}, "no region [two]"),
    ({**EXAMPLE, "docs/a.md": PART.replace("a.cpp", "open.cpp") % "int x;"}, "no region [one]"),
    ({"docs/a.md": "```cpp\nint x;\n```\n"}, "docs/a.md:1: C++ without a mark"),
    ({"README.md": "- a list\n\n  ```c++\n  int x;\n  ```\n"}, "README.md:3: C++ without a mark"),
    ({**EXAMPLE, "docs/a.md": (PART % "int x;").replace("-->\n", "-->\n\n")}, "a mark with no block"),
    ({**EXAMPLE, "docs/a.md": GOOD, "CONTRIBUTING.md": "```cpp\nint x;\n```\n"}, None),
]
REPAIRED = [
    ({**EXAMPLE, "docs/a.md": FILE % "old" + "text\n" + PART % "" + OUTPUT % "3" + "end\n"}, None),
    ({**EXAMPLE, "docs/a.md": "```cpp\nint x;\n```\n"}, "C++ without a mark"),
]

if __name__ == "__main__":
    if sys.argv[1:] == ["--fix"]:
        sys.exit(source.report(fix(source.ROOT)))
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(source.self_test(check, PLANTED) | source.self_test(fixed, REPAIRED))
    source.main(check, PLANTED)
