#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A source that must not compile, for the reason it states.

usage: check.py SOURCE -- COMPILER FLAGS...
       check.py --self-test -- COMPILER FLAGS...

The source has one or more lines `// EXPECT: regex`; each must match the compiler's output. The same
source must compile with -DLINN_CONTROL, which proves that nothing but the intended mistake is wrong.
"""
import os
import re
import subprocess
import sys
import tempfile


def compile_source(compiler, source, *flags):
    command = compiler + list(flags) + ["-c", source, "-o", os.devnull]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    return run.returncode == 0, run.stdout + run.stderr


def check(compiler, source):
    """Returns what is wrong with the source, None if it fails as it should."""
    with open(source, encoding="utf-8") as file:
        expected = re.findall(r"^\s*// EXPECT: (.+?)\s*$", file.read(), re.MULTILINE)
    if not expected:
        return "has no line `// EXPECT: regex`"
    compiled, output = compile_source(compiler, source, "-DLINN_CONTROL")
    if not compiled:
        return "does not compile with -DLINN_CONTROL:\n" + output
    compiled, output = compile_source(compiler, source)
    if compiled:
        return "compiles, but must not"
    # Messages quote the source, so the EXPECT lines themselves must not count.
    output = "\n".join(line for line in output.splitlines() if "EXPECT:" not in line)
    for pattern in expected:
        if not re.search(pattern, output):
            return f"fails, but not with /{pattern}/:\n{output}"
    return None


def self_test(compiler):
    body = "#ifdef LINN_CONTROL\nint x;\n#else\n%s\n#endif\n"
    static = 'static_assert(sizeof(int) == 1, "int is wide");'
    cases = [
        ("as expected", "// EXPECT: int is wide\n" + body % static, True),
        ("wrong reason", "// EXPECT: other\n" + body % static, False),
        ("compiles", "// EXPECT: int is wide\n" + body % "int y;", False),
        ("control is broken", "// EXPECT: int is wide\n" + static, False),
        ("no expectation", body % static, False),
    ]
    failures = 0
    for name, text, good in cases:
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(text)
            file.flush()
            if (check(compiler, file.name) is None) != good:
                failures += 1
                print(f"self-test failed: {name}")
    return failures


def main():
    split = sys.argv.index("--")
    compiler = sys.argv[split + 1:]
    if sys.argv[1] == "--self-test":
        return 1 if self_test(compiler) else 0
    problem = check(compiler, sys.argv[1])
    if problem:
        print(f"{sys.argv[1]}: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
