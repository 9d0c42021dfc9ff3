#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the fast paths of pool<T>::allocate, deallocate and make_shared, and of pool_resource, to their instruction counts.

    check.py path --compiler g++ --include DIR       instructions on the hot path, from the disassembly
    check.py loop --compiler g++ --include DIR       instructions of hot pairs in loops, from Callgrind
    check.py self-test --compiler g++ --include DIR  planted slower code must be found

With --update, `path` and `loop` write what they count to <family>-<major>.golden next to this file instead of
comparing. Do that in the commit that changes a count, and say there why: a golden that grows is a slower library.
Counts differ from compiler to compiler; where the version is not the recorded one, only the hard limits hold.
Exits with 0 when all is well, 1 when a count is wrong, 77 when this machine cannot tell.
"""
import argparse
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import hot_path

HERE = pathlib.Path(__file__).resolve().parent
# Settled here, because distributions differ in what they switch on. Alignment fills in nothing that runs.
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-fcf-protection=none", "-fno-stack-protector"]
VARIANTS = {"executable": ["-fPIE"], "shared": ["-fPIC"]}
LIMITS = {"allocate_one": 7, "deallocate_one": 8, "make_shared_one": 20, "allocate_here": 10,
          "deallocate_here": 10}
PAIRS = 1_000_000
BATCH = 16  # as in hot_loop.cpp
SKIP = 77


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def skip(why):
    print(f"linn: skipped: {why}")
    sys.exit(SKIP)


class Compiler:
    def __init__(self, command, defines=()):
        self.command = command
        self.defines = [f"-D{name}" for name in defines]
        first = run(command, "--version").splitlines()[0]
        self.version = re.search(r"\d+\.\d+\.\d+", first)[0]
        family = "clang" if "clang" in first else "gcc"
        self.golden = HERE / f"{family}-{self.version.split('.')[0]}.golden"


def count_paths(compiler, include, folder, plant=0):
    """Golden key -> number, of each function in both variants."""
    counts = {}
    for variant, flags in VARIANTS.items():
        out = folder / f"{variant}.o"
        run(compiler.command, *FLAGS, *flags, f"-DLINN_GOLDEN_PLANT={plant}", *compiler.defines, "-I", include, "-c",
            HERE / "hot_path.cpp", "-o", out)
        bodies = hot_path.functions(run("objdump", "-dr", "--no-show-raw-insn", out))
        for function in LIMITS:
            for kind, number in hot_path.hot_path(function, bodies[function]).items():
                counts[f"{variant} {function} {kind}"] = number
    return counts


def check_limits(counts):
    """What must hold with any compiler."""
    problems = []
    for function, most in LIMITS.items():
        for variant in VARIANTS:
            wanted = {"calls": 0, "locked": 0, "tls": 1 if variant == "shared" and not function.endswith("_here") else 0}
            for kind, number in wanted.items():
                key = f"{variant} {function} {kind}"
                if counts[key] != number:
                    problems.append(f"{key}: {counts[key]}, must be {number}")
        key = f"executable {function} instructions"
        if counts[key] > most:
            problems.append(f"{key}: {counts[key]}, at most {most} are allowed")
    return problems


def count_loop(compiler, include, folder):
    """Instructions of a hot pair in a loop, without the loop."""
    program = folder / "hot_loop"
    run(compiler.command, *FLAGS, "-fPIE", "-pie", "-pthread", "-I", include, HERE / "hot_loop.cpp", "-o", program)

    def executed(mode, n):
        out = folder / "callgrind.out"
        run("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, mode, n)
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)[1])

    def per_turn(mode, without, turns):
        # Twice the work less once the work: start-up and end drop out.
        work = executed(mode, 2 * PAIRS) - executed(mode, PAIRS)
        empty = executed(without, 2 * PAIRS) - executed(without, PAIRS)
        number, rest = divmod(work - empty + turns // 2, turns)
        if abs(rest - turns // 2) > turns // 1000:
            sys.exit(f"{mode}: {work - empty} instructions for {turns} turns: not every pair takes the hot path")
        return number

    return {"loop pair instructions": per_turn("pairs", "empty", PAIRS),
            "resource pair instructions": per_turn("resource_pairs", "empty", PAIRS),
            f"loop of {BATCH} instructions": per_turn("batches", "empty_batches", PAIRS // BATCH)}


def read_golden(path):
    if not path.exists():
        return {}
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    return dict(line.rsplit(" ", 1) for line in lines if line)


def update(compiler, counts):
    golden = read_golden(compiler.golden)
    if golden.get("version") != compiler.version:
        golden = {}
    golden.update({key: str(number) for key, number in counts.items() if key.endswith("instructions")})
    golden["version"] = compiler.version
    text = "".join(f"{key} {golden[key]}\n" for key in sorted(golden, key=lambda k: (k != "version", k)))
    compiler.golden.write_text("# SPDX-License-Identifier: Apache-2.0\n# Written by check.py --update.\n" + text)
    print(f"wrote {compiler.golden}")


def compare(compiler, counts):
    golden = read_golden(compiler.golden)
    if golden.get("version") != compiler.version:
        print(f"{compiler.golden.name} is of {golden.get('version', 'no version')}, this is {compiler.version}: "
              "only the limits hold")
        return []
    return [f"{key}: {number}, the golden count is {golden.get(key, 'missing')}"
            for key, number in counts.items() if key.endswith("instructions") and golden.get(key) != str(number)]


def self_test(compiler, include, folder):
    """Each plant must be found by the limits, or where they leave room by the golden counts of clean code."""
    clean = count_paths(compiler, include, folder)
    problems = check_limits(clean)
    expected = {1: "instructions", 2: "locked", 3: "calls"}
    for plant, kind in expected.items():
        planted = count_paths(compiler, include, folder, plant)
        changed = {key for key, number in planted.items() if number != clean[key]}
        for function in LIMITS:
            if f"executable {function} {kind}" not in changed:
                problems.append(f"plant {plant} in {function} was not found")
        if kind != "instructions" and not check_limits(planted):
            problems.append(f"plant {plant} is within the limits")
    # The comparison itself, with a golden count that is one too low.
    key = "executable allocate_one instructions"
    if read_golden(compiler.golden).get("version") == compiler.version:
        if not compare(compiler, {key: clean[key] + 1}):
            problems.append("a count that grew by one was not found")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["path", "loop", "self-test"])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("--define", action="append", default=[], help="for `path`: a macro, with which the counts are the same")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()

    if platform.machine() not in ("x86_64", "AMD64"):
        skip("instructions are counted on x86-64 only")
    tool = "valgrind" if arguments.what == "loop" else "objdump"
    if shutil.which(tool) is None:
        skip(f"{tool} is not installed")
    compiler = Compiler(arguments.compiler, arguments.define)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if arguments.what == "self-test":
            problems = self_test(compiler, arguments.include, folder)
        else:
            count = {"path": count_paths, "loop": count_loop}[arguments.what]
            counts = count(compiler, arguments.include, folder)
            for key, number in counts.items():
                print(key, number)
            problems = check_limits(counts) if arguments.what == "path" else []
            if arguments.update:
                update(compiler, counts)
            else:
                problems += compare(compiler, counts)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
