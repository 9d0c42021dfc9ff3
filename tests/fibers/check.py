#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With LINN_FIBERS, fibers that other threads resume may use every kind of pool.

    check.py [--control] INCLUDE -- COMPILER FLAGS...

Compiles program.cpp and runs it. With --control also without LINN_FIBERS, where it must fail: otherwise these flags do
not make the compiler keep addresses, and the test shows nothing.
Exits with 0 when all is well, 1 when not, 77 without Boost.Context.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROBE = "#include <boost/context/fiber.hpp>\nint main() { boost::context::fiber f; return f ? 1 : 0; }\n"
SECONDS = 60
ATTEMPTS = 5  # an error of threads need not show in each run
SKIP = 77


def build(command, source, program):
    return subprocess.run([*command, str(source), "-o", str(program), "-lboost_context", "-pthread"],
                          capture_output=True, text=True)


def run(program):
    """The exit status and the output. A program that hangs has failed, too."""
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 124, "no end"
    return done.returncode, done.stdout + done.stderr


def main():
    split = sys.argv.index("--")
    *options, include = sys.argv[1:split]
    compiler = [*sys.argv[split + 1:], "-std=c++20", f"-I{include}"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        probe = folder / "probe.cpp"
        probe.write_text(PROBE, encoding="utf-8")
        if build(compiler, probe, folder / "probe").returncode != 0:
            print("skipped: Boost.Context is not installed")
            return SKIP
        for fibers in [1, 0] if "--control" in options else [1]:
            program = folder / f"fibers{fibers}"
            made = build([*compiler, f"-DLINN_FIBERS={fibers}"], HERE / "program.cpp", program)
            if made.returncode != 0:
                print(made.stderr)
                return 1
            runs = [run(program) for _ in range(ATTEMPTS)]
            failed = [output for status, output in runs if status != 0]
            if fibers and failed:
                print(f"with LINN_FIBERS: {failed[0]}")
                return 1
            if not fibers and not failed:
                print("without LINN_FIBERS the program does not fail: the test shows nothing")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
