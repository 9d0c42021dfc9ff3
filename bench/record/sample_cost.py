#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `linn record --sample` costs, in instructions: those of each program alone and with the recorder in it, counted by
cachegrind, which needs no quiet machine. Only one process of a program is counted, the last to end. Next to it the least that any
preloaded library costs: one whose malloc, calloc, realloc and free only jump to the C library's.

    bench/predictions/inputs.py INPUTS
    sample_cost.py bench/predictions/debian.toml --linn build/release/tool/linn --folder INPUTS [--bytes 524288] [--only NAME,NAME]
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib

COUNT = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]

BARE = """
#define HOOK(result, name, parameters, arguments) \\
    result __libc_##name parameters; \\
    static result (*volatile real_##name) parameters = __libc_##name; \\
    result name parameters { return real_##name arguments; }
HOOK(void*, malloc, (unsigned long n), (n))
HOOK(void*, calloc, (unsigned long c, unsigned long n), (c, n))
HOOK(void*, realloc, (void* p, unsigned long n), (p, n))
HOOK(void, free, (void* p), (p))
"""


def built_bare(folder):
    """The library that only jumps."""
    library = os.path.join(folder, "bare.so")
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-fno-plt", "-fno-builtin", "-w", "-x", "c", "-", "-o", library], input=BARE, text=True,
                   check=True)
    return library


def instructions(words, folder, log, preload=None):
    environment = os.environ if preload is None else {**os.environ, "LD_PRELOAD": preload}
    subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    with open(log, encoding="utf-8") as file:
        return int(re.findall(r"I +refs: +([\d,]+)", file.read())[-1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--linn", required=True, type=os.path.abspath)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--bytes", type=int, default=524288)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    with open(arguments.programs, "rb") as file:
        programs = tomllib.load(file)["program"]
    only = arguments.only.split(",") if arguments.only else []
    print("program          instructions  events of the sample  jumps only    cost")
    with tempfile.TemporaryDirectory() as temporary:
        log, trace, facts = (os.path.join(temporary, name) for name in ("log", "trace", "facts"))
        bare = built_bare(temporary)
        for program in programs:
            command = program["command"]
            if shutil.which(command[0]) is None or (only and program["name"] not in only):
                continue
            counted = [*COUNT, "--log-file=" + log, *command]
            alone = instructions(counted, arguments.folder, log)
            least = instructions(counted, arguments.folder, log, bare)
            recorded = instructions([arguments.linn, "record", "-q", "--sample", str(arguments.bytes), "-o", trace, "--", *counted],
                                    arguments.folder, log)
            subprocess.run([arguments.linn, "trace", trace, "--json", facts], check=True, stdout=subprocess.DEVNULL)
            with open(facts, encoding="utf-8") as file:
                events = json.load(file)["events"]
            print(f"{program['name']:<15} {alone / 1e6:10.0f} M  {events:13} events  {100 * (least / alone - 1):+8.2f} %  {100 * (recorded / alone - 1):+.2f} %",
                  flush=True)


if __name__ == "__main__":
    main()
