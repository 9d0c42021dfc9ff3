#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public header says in one error that it needs C++20, and how to get it; the compiler says nothing else.

usage: check.py -- COMPILER FLAGS...
"""
import importlib.util
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("compile_fail", ROOT / "tests/compile_fail/check.py")
compile_fail = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compile_fail)
SENTENCE = "linn needs C++20: compile with -std=c++20"
NO_CODE = {"version.hpp"}


def problem_of(command, header):
    run = subprocess.run(command + ["-std=c++17", "-fsyntax-only", "-x", "c++", "-"], text=True,
                         input=f"#include <linn/{header}>\n", capture_output=True, check=False)
    errors = [line for line in run.stderr.splitlines() if "error: " in line]
    if len(errors) == 1 and SENTENCE in errors[0] and run.returncode != 0:
        return None
    return f"linn/{header}: {len(errors)} errors instead of one that says '{SENTENCE}':\n{run.stderr}"


def main():
    problems = []
    for command in compile_fail.with_the_other_compiler(sys.argv[sys.argv.index("--") + 1:]):
        for header in sorted(p.name for p in (ROOT / "include/linn").glob("*.hpp")):
            problem = None if header in NO_CODE else problem_of(command, header)
            if problem:
                problems.append(problem)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
