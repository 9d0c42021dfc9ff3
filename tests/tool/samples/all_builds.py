#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds every sample in every way, runs it, and says what share of its allocations is named right.

Takes minutes, so it is for a person and not for ctest:
    tests/tool/samples/all_builds.py --build build/release
The builds that the tool promises 95 % for are marked; a lower share there is a failure.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import judge

HERE = pathlib.Path(__file__).resolve().parent

# name: compiler, flags, what happens after linking, the least share.
BUILDS = {
    "g++ -O0 -g": ("g++", "-O0 -g", None, 0.95),
    "g++ -O2 -g": ("g++", "-O2 -g", None, 0.95),
    "g++ -O2 -g1": ("g++", "-O2 -g1", None, 0.95),
    "clang++ -O2 -g": ("clang++", "-O2 -g", None, 0.95),
    "g++ -O2 -g -flto": ("g++", "-O2 -g -flto", None, 0.95),
    "g++ -O1 -g": ("g++", "-O1 -g", None, 0),
    "g++ -O3 -g": ("g++", "-O3 -g", None, 0),
    "g++ -O0 -g1": ("g++", "-O0 -g1", None, 0),
    "clang++ -O0 -g": ("clang++", "-O0 -g", None, 0),
    "clang++ -O2 -g1": ("clang++", "-O2 -g1", None, 0),
    "clang++ -O2 -g -flto=thin": ("clang++", "-O2 -g -flto=thin -fuse-ld=lld", None, 0),
    "clang++ -O2 -g libc++": ("clang++", "-O2 -g -stdlib=libc++", None, 0),
    "clang++ -O0 -g libc++": ("clang++", "-O0 -g -stdlib=libc++", None, 0),
    "g++ -O2 -gdwarf-4": ("g++", "-O2 -g -gdwarf-4", None, 0),
    "g++ -O2 -g -gsplit-dwarf": ("g++", "-O2 -g -gsplit-dwarf", None, 0),
    "clang++ -O2 -g -gsplit-dwarf": ("clang++", "-O2 -g -gsplit-dwarf", None, 0),
    "g++ -O2 -g -gz=zlib": ("g++", "-O2 -g -gz=zlib", None, 0),
    "g++ -O2 -g, debuglink": ("g++", "-O2 -g", "debuglink", 0),
    "g++ -O2 -g, dwz": ("g++", "-O2 -g", "dwz", 0),
    "g++ -O2 -g, no source": ("g++", "-O2 -g", "no-source", 0),
    "g++ -O0 -g, no source": ("g++", "-O0 -g", "no-source", 0),
    "g++ -O2 -g1, no source": ("g++", "-O2 -g1", "no-source", 0),
    "clang++ -O2 -g, no source": ("clang++", "-O2 -g", "no-source", 0),
    "g++ -O2 (no -g)": ("g++", "-O2", None, 0),
    "g++ -O2, stripped": ("g++", "-O2", "strip", 0),
}


def run(*command, **more):
    subprocess.run([str(part) for part in command], check=True, **more)


def finish(program, how):
    """What is done to a program after linking; returns the folders with debug files."""
    if how == "debuglink":
        debug = program.parent / "debug" / (program.name + ".debug")
        debug.parent.mkdir(exist_ok=True)
        run("objcopy", "--only-keep-debug", program, debug)
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program)
        return [debug.parent]
    if how == "strip":
        run("strip", program)
    elif how == "dwz":
        run("dwz", program)
    elif how == "no-source":
        for file in program.parent.glob("*.cpp"):
            file.unlink()
    return []


def build(sample, name, folder, compilers):
    compiler, flags, how, _ = BUILDS[name]
    for file in (HERE / f"{sample}.cpp", HERE / "truth.hpp"):
        shutil.copy(file, folder)
    program = folder / sample
    run(compilers[compiler], "-std=c++20", *flags.split(), f"{sample}.cpp", "-o", program, "-pthread", cwd=folder)
    return program, finish(program, how)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", required=True, type=pathlib.Path, help="a build folder of the tool")
    options.add_argument("--clang", default="clang++-19")
    options.add_argument("--only", default="", help="builds whose name holds this")
    options.add_argument("--samples", default=",".join(sorted(p.stem for p in HERE.glob("*.cpp")
                                                              if p.stem not in ("sites_preload", "name_sites"))))
    options.add_argument("--verbose", action="store_true")
    given = options.parse_args()
    built = given.build / "tests/tool/samples"
    compilers = {"g++": "g++", "clang++": given.clang}
    failed = False
    samples = given.samples.split(",")
    print("| build | " + " | ".join(samples) + " | all |")
    print("|---|" + "---|" * (len(samples) + 1))
    for name, (_, _, _, least) in BUILDS.items():
        if given.only not in name:
            continue
        cells, right, expected, notes = [], 0, 0, []
        for sample in samples:
            with tempfile.TemporaryDirectory(prefix="linn-samples-") as folder:
                try:
                    program, folders = build(sample, name, pathlib.Path(folder), compilers)
                except (subprocess.CalledProcessError, FileNotFoundError) as error:
                    notes.append(f"{sample}: {error}")
                    cells.append("–")
                    continue
                verdict, result = judge.judge(program, built / "liblinn_sample_sites.so",
                                              built / "linn_sample_namer", debug_dirs=folders)
                cells.append(f"{100 * verdict.share:.1f}")
                right, expected = right + verdict.right, expected + verdict.expected
                failed = failed or verdict.share < least
                if given.verbose and verdict.share < 1:
                    notes.append(f"{sample}: {judge.describe(verdict)}\n{result.stderr}")
        total = 100 * right / expected if expected else 0
        print(f"| `{name}`{' **' if least else ''} | " + " | ".join(cells) + f" | {total:.1f} |", flush=True)
        for note in notes:
            print(note, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
