#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording an event costs: a program alone, under `linn record` and under heaptrack, in turns.

    overhead.py --linn build/release/tool/linn --program build/release/bench/linn-bench-record-program

The program's own CPU time is what it prints; CPU time of all is with the collector or compressor as well. Nanoseconds
an event are of the difference to the run alone in the same round; medians over the rounds.
"""
import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PRINTED = re.compile(r"^(\d+\.\d+) (\d+)$", re.MULTILINE)


def run(command, folder):
    """Seconds: the program's CPU, CPU of everything, wall; and the program's checksum."""
    before, began = os.times(), time.monotonic()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wall, after = time.monotonic() - began, os.times()
    match = PRINTED.search(done.stdout)
    if done.returncode != 0 or match is None:
        sys.exit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
    everything = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return {"program": float(match[1]), "everything": everything, "wall": wall}, match[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linn", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    linn, program = os.path.abspath(arguments.linn), os.path.abspath(arguments.program)
    target = [program, arguments.scale]
    ways = {
        "alone": target,
        "linn record": [linn, "record", "-o", "all.linn", "--", *target],
    }
    if shutil.which("heaptrack"):
        ways["heaptrack --raw"] = ["heaptrack", "--raw", "-o", "heaptrack", *target]
    else:
        print("heaptrack is not installed", file=sys.stderr)
    rounds = {way: [] for way in ways}
    checksums = set()
    order = random.Random(arguments.seed)
    # On a disk the compared recorders would be compared by how fast it writes.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for number in range(arguments.rounds + 1):
            for way in order.sample(list(ways), len(ways)):
                times, checksum = run(ways[way], folder)
                checksums.add(checksum)
                if number != 0:  # the first warms up
                    rounds[way].append(times)
            if sys.stderr.isatty():
                print(f"\rround {number} of {arguments.rounds}", end="", file=sys.stderr)
        subprocess.run([linn, "trace", "all.linn", "--json", "all.json"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "all.json"), encoding="utf-8") as file:
            facts = json.load(file)
        events = facts["events"]
        stored = os.path.getsize(os.path.join(folder, "all.linn"))
    if len(checksums) != 1:
        sys.exit("the program did not do the same each time")
    print(f"{events} events, {arguments.rounds} rounds; {stored / events:.2f} bytes an event stored")
    print(f"{'ns an event, and seconds alone':34}{'program CPU':>14}{'all CPU':>14}{'wall':>14}")
    for way, rows in rounds.items():
        cells = []
        for key in ("program", "everything", "wall"):
            extra = statistics.median(row[key] - alone[key] for row, alone in zip(rows, rounds["alone"]))
            cells.append(statistics.median(row[key] for row in rows) if way == "alone" else extra / events * 1e9)
        unit = "s" if way == "alone" else ""
        print(f"{way:34}" + "".join(f"{cell:13.3f}s" if unit else f"{cell:14.1f}" for cell in cells))


if __name__ == "__main__":
    main()
