#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `linn record --sample` costs, in instructions: those of each program alone and with the recorder in it, counted by
cachegrind, which needs no quiet machine. Only one process of a program is counted, the last to end. Next to it the least that any
preloaded library costs: one whose malloc, calloc, realloc and free only jump to the C library's.

    bench/predictions/inputs.py INPUTS
    sample_cost.py bench/predictions/debian.toml --linn build/release/tool/linn --folder INPUTS [--bytes 524288] [--only NAME,NAME]
                   [--time ROUNDS]

--time measures CPU time in place of instructions, of the program alone: pairs of runs in random order, of which it prints the median
of the ratios with the interval that holds it at 95 %. That wants a quiet machine.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import median  # noqa: E402

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


# Starts the program without a copy of itself, and writes its CPU time to a file: so a program starts alike alone and recorded.
START = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
used = os.wait4(process.pid, 0)[2]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(used.ru_utime + used.ru_stime, file=file)
"""


def facts_of(linn, trace, scratch):
    facts = os.path.join(scratch, "facts")
    subprocess.run([linn, "trace", trace, "--json", facts], check=True, stdout=subprocess.DEVNULL)
    with open(facts, encoding="utf-8") as file:
        return json.load(file)


def time_pairs(arguments, record, command, scratch):
    """Says what the sample costs in CPU time, and what differs between the program and itself."""
    log = os.path.join(scratch, "seconds")
    start = [sys.executable, "-c", START, log, *command]

    def seconds(*before):
        subprocess.run([*before, *start], cwd=arguments.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        with open(log, encoding="utf-8") as file:
            return float(file.read())

    def alone():
        return seconds()

    def recorded():
        return seconds(*record, "--no-baseline", "--")

    ways = [alone, recorded, alone]
    for way in ways:  # warms up
        way()
    rounds = []
    for _ in range(arguments.time):
        row = [0.0] * len(ways)
        for i in random.sample(range(len(ways)), len(ways)):
            row[i] = ways[i]()
        rounds.append(row)
    cost, again = (median.with_interval([row[i] / row[0] for row in rounds]) for i in (1, 2))
    texts = [f"{100 * (m - 1):+.2f} % ({100 * (low - 1):+.2f} to {100 * (high - 1):+.2f})" for low, m, high in (cost, again)]
    return f"{statistics.median(row[0] for row in rounds) * 1e3:8.0f} ms  recorded {texts[0]:28} alone again {texts[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--linn", required=True, type=os.path.abspath)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--bytes", type=int, default=524288)
    parser.add_argument("--only", default="")
    parser.add_argument("--time", type=int, default=0, metavar="ROUNDS")
    arguments = parser.parse_args()
    with open(arguments.programs, "rb") as file:
        programs = tomllib.load(file)["program"]
    only = arguments.only.split(",") if arguments.only else []
    if arguments.time == 0:
        print("program          instructions  events of the sample  jumps only    cost")
    with tempfile.TemporaryDirectory() as temporary:
        log, trace = (os.path.join(temporary, name) for name in ("log", "trace"))
        record = [arguments.linn, "record", "-q", "--sample", str(arguments.bytes), "-o", trace]
        bare = None if arguments.time else built_bare(temporary)
        for program in programs:
            command = program["command"]
            if shutil.which(command[0]) is None or (only and program["name"] not in only):
                continue
            if arguments.time != 0:
                print(f"{program['name']:<15} {time_pairs(arguments, record, command, temporary)}", flush=True)
                continue
            counted = [*COUNT, "--log-file=" + log, *command]
            alone = instructions(counted, arguments.folder, log)
            least = instructions(counted, arguments.folder, log, bare)
            recorded = instructions([*record, "--", *counted], arguments.folder, log)
            events = facts_of(arguments.linn, trace, temporary)["events"]
            print(f"{program['name']:<15} {alone / 1e6:10.0f} M  {events:13} events  {100 * (least / alone - 1):+8.2f} %  {100 * (recorded / alone - 1):+.2f} %",
                  flush=True)


if __name__ == "__main__":
    main()
