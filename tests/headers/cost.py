#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a file with one linn::map costs, by counts that repeat: a file of a user must not grow unnoticed.

usage: cost.py -- COMPILER FLAGS...

- the lines of Linn that the compiler reads, header-only and with linn::compiled;
- containers that nobody asked for: <linn/map.hpp> includes no other one;
- bytes of code of the engine in the object, and none of it with linn::compiled;
- functions of Linn that GCC copied for this object alone (.isra, .constprop, .part): the linker keeps the copies of all files.

bench/compile_time/compile_time.py --map says what that is in seconds.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import includes  # noqa: E402

LINES = {"linn/pool.hpp": 5365, "linn/map.hpp": 5490}
LINES_COMPILED = {"linn/pool.hpp": 1005, "linn/map.hpp": 1150}
CODE_BYTES = {"GNU": 24500, "Clang": 26500}
COPIES = {"GNU": 0, "Clang": 0}
SKIPPED = 77

PROGRAM = includes.MAP.format(header="linn/map.hpp", name="linn")
COPY = re.compile(r"\.(?:isra|constprop|part)\b")


def functions(command, folder):
    """(name, bytes) of each function of Linn in the object."""
    made = folder / "map.o"
    run = includes.compile_text([*command, "-O2", "-DNDEBUG", "-c", "-o", str(made)], PROGRAM)
    if run.returncode != 0:
        sys.exit(run.stderr)
    found = []
    for line in subprocess.run(["nm", "-S", made], text=True, capture_output=True, check=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW" and re.match(r"_ZN?K?Z?N?K?4linn", fields[3]):
            found.append((fields[3], int(fields[1], 16)))
    return found


def main():
    command = sys.argv[sys.argv.index("--") + 1:]
    if "-fsanitize" in " ".join(command):
        print("a sanitizer adds code of its own")
        return SKIPPED
    family = "Clang" if "clang" in subprocess.run([command[0], "--version"], text=True, capture_output=True, check=True).stdout else "GNU"
    problems = []

    def limit(what, is_now, at_most):
        print(f"{what}: {is_now}, at most {at_most}")
        if is_now > at_most:
            problems.append(what)

    for name, limits, options in (("", LINES, []), (", compiled", LINES_COMPILED, ["-DLINN_COMPILED"])):
        for header, at_most in limits.items():
            limit(f"lines of {header}{name}", includes.lines(command + options, header), at_most)
    others = {path.split("/")[-1] for path in includes.files(command, "linn/map.hpp")} & {"set", "list", "set.hpp", "list.hpp"}
    limit("other containers in <linn/map.hpp>", len(others), 0)
    with tempfile.TemporaryDirectory() as folder:
        header_only = functions(command, pathlib.Path(folder))
        compiled = functions([*command, "-DLINN_COMPILED"], pathlib.Path(folder))
    limit("bytes of code", sum(size for _, size in header_only), CODE_BYTES[family])
    limit("bytes of code, compiled", sum(size for _, size in compiled), 500)
    limit("functions copied for this object", sum(1 for name, _ in header_only if COPY.search(name)), COPIES[family])
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
