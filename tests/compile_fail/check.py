#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A source that must not compile, for the reason it states.

usage: check.py SOURCE -- COMPILER FLAGS...
       check.py --self-test -- COMPILER FLAGS...
       check.py --cpp17 -- COMPILER FLAGS...

The source has lines `#if defined(LINN_CASE_name) // regex`, or `#elif`, and one `// LINES: most`. It must compile as it is,
which proves that nothing but the intended mistakes is wrong. With -DLINN_CASE_name, the first error must match the regex, and
all that the compiler says takes at most so many lines; where both GCC and Clang are installed, both are asked.

With --cpp17: every public header says in one error that it needs C++20, and how to get it; the compiler says nothing else.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def compile_source(compiler, source, *flags):
    command = compiler + list(flags) + ["-c", source, "-o", os.devnull]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    return run.returncode == 0, run.stdout + run.stderr


def with_the_other_compiler(compiler):
    """The command, and the same with the other one of GCC and Clang if it is there."""
    clang = "clang" in os.path.basename(compiler[0])
    names = ["g++"] if clang else [f"clang++{version}" for version in ("", "-20", "-19", "-18", "-17", "-16")]
    other = next(filter(None, map(shutil.which, names)), None)
    return [compiler] + ([[other] + compiler[1:]] if other else [])


def check_case(compiler, source, name, pattern, most):
    compiled, output = compile_source(compiler, source, "-DLINN_CASE_" + name)
    if compiled:
        return f"{name} compiles, but must not"
    first = next((line for line in output.splitlines() if "error: " in line), "")
    if not re.search(pattern, first):
        return f"{name} fails, but not first with /{pattern}/:\n{output}"
    lines = len(output.splitlines())
    return f"{name} fails with {lines} lines, more than {most}:\n{output}" if lines > most else None


def check(compiler, source):
    """Returns what is wrong with the source, None if it fails as it should."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    cases = re.findall(r"^#(?:el)?if !?defined\(LINN_CASE_(\w+)\) +// (.+)$", text, re.MULTILINE)
    most = re.search(r"^// LINES: (\d+)$", text, re.MULTILINE)
    if not cases or not most:
        return "has no case with its error, or no line `// LINES: most`"
    for command in with_the_other_compiler(compiler):
        compiled, output = compile_source(command, source)
        if not compiled:
            return "does not compile without any case:\n" + output
        for name, pattern in cases:
            problem = check_case(command, source, name, pattern, int(most.group(1)))
            if problem:
                return f"{command[0]}: {problem}"
    return None


def self_test(compiler):
    static = 'static_assert(sizeof(int) == 1, "int is wide");'
    cases = "// LINES: %d\n#if defined(LINN_CASE_a) // int is wide\n%s\n#endif\n"
    tried = [
        ("no case", "int x;", False),
        ("case", cases % (9, static), True),
        ("case without limit", (cases % (9, static)).replace("LINES", "lines"), False),
        ("case with too many lines", cases % (1, static), False),
        ("case with another error first", cases % (9, "int i = j; " + static), False),
        ("case that compiles", cases % (9, "int y;"), False),
    ]
    failures = 0
    for name, text, good in tried:
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(text)
            file.flush()
            if (check(compiler, file.name) is None) != good:
                failures += 1
                print(f"self-test failed: {name}")
    return failures


def cpp17(compiler):
    sentence = "linn needs C++20: compile with -std=c++20"
    folder = pathlib.Path(__file__).resolve().parents[2] / "include/linn"
    failures = 0
    for command in with_the_other_compiler(compiler):
        for header in sorted(path.name for path in folder.glob("*.hpp") if path.name != "version.hpp"):
            run = subprocess.run(command + ["-std=c++17", "-fsyntax-only", "-x", "c++", "-"], text=True,
                                 input=f"#include <linn/{header}>\n", capture_output=True, check=False)
            errors = [line for line in run.stderr.splitlines() if "error: " in line]
            if run.returncode == 0 or len(errors) != 1 or sentence not in errors[0]:
                failures += 1
                print(f"linn/{header}: {len(errors)} errors instead of one that says '{sentence}':\n{run.stderr}")
    return failures


def main():
    split = sys.argv.index("--")
    compiler = sys.argv[split + 1:]
    if sys.argv[1] in ("--self-test", "--cpp17"):
        return 1 if (cpp17 if sys.argv[1] == "--cpp17" else self_test)(compiler) else 0
    problem = check(compiler, sys.argv[1])
    if problem:
        print(f"{sys.argv[1]}: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
