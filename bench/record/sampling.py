#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the intervals of `linn record --sample` hold on programs of every day: each command is recorded whole, twice, then as a
sample many times, each with other random points. A type whose bytes differ between the two whole recordings is left out, and what is named
by more than its place: the sizes and the virtual tables that a recording has seen decide there which places are one type.

    sampling.py --linn build/release/tool/linn [--recordings 100] [--bytes 65536] -- COMMAND [-- COMMAND]...

For each type in a sample: whether its true bytes lie within the bounds of 95 % that `linn advise` states. A type that is missing in a
sample counts as held if its true bytes are at most four times the mean distance, which is what the guide says of it. Prints the
share that holds, over all types and for the largest ones.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

from programs import split

MISSING = 4  # times the mean distance: what a type that is not in the sample may have


def advice(linn, command, folder, sample):
    """The types of one recording, by what makes them the same in another one."""
    trace = os.path.join(folder, "trace")
    facts = os.path.join(folder, "facts")
    subprocess.run([linn, "record", "-q", "--no-baseline", *(["--sample", str(sample)] if sample else []), "-o",
                    trace, "--", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    subprocess.run([linn, "advise", trace, "--json", facts], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(facts, encoding="utf-8") as file:
        data = json.load(file)
    types = {}
    for t in data["types"]:
        # Instantiations are summed where there are several, which a sample may not see: such sums are no type of their own.
        if t["instantiations"] == 1 and t["named_by"] in ("none", "symbol"):
            # The number of an unnamed group depends on the order of all: its address does not. The sizes in its name depend on the sample.
            key = t["address"] or (t["type"], t["allocated"], t["container"])
            types.setdefault(key, []).append(t)
    return types


def share(held, counted, keys):
    return f"{100 * sum(held[key] for key in keys) / max(sum(counted[key] for key in keys), 1):.2f} %"


def measure(linn, command, arguments):
    with tempfile.TemporaryDirectory() as folder:
        whole = advice(linn, command, folder, 0)
        again = advice(linn, command, folder, 0)
        first = {key: found[0] for key, found in whole.items() if len(found) == 1}
        truth = {key: t["statistics"]["bytes"] for key, t in first.items() if len(again.get(key, [])) == 1
                 and again[key][0]["statistics"]["bytes"] == t["statistics"]["bytes"] > 0}
        print(f"{' '.join(command)[:90]}: {len(truth)} types, {sum(truth.values()) / 2**20:.1f} MiB; "
              f"{len(first) - len(truth)} differ between two whole recordings", flush=True)
        held, seen, counted, width = collections.Counter(), collections.Counter(), collections.Counter(), collections.defaultdict(list)
        for _ in range(arguments.recordings):
            sample = advice(linn, command, folder, arguments.bytes)
            for key, true in truth.items():
                found = sample.get(key, [])
                if len(found) > 1:
                    continue  # one stack of it shows other sizes than another, so they are two types here
                counted[key] += 1
                if found:
                    s = found[0]["statistics"]["sample"]
                    seen[key] += 1
                    held[key] += s["bytes_low"] <= true <= s["bytes_high"]
                    width[key].append((s["bytes_high"] - s["bytes_low"]) / 2 / true)
                else:
                    held[key] += true <= MISSING * arguments.bytes
    present = [key for key in truth if seen[key] == arguments.recordings]
    rows = sorted(truth, key=truth.get, reverse=True)
    print(f"  all types, missing ones too: {share(held, counted, rows)} hold")
    if present:
        print(f"  the {len(present)} types in every sample: {share(held, counted, present)} hold; the least "
              f"{min(held[key] for key in present)} of {arguments.recordings}")
    for key in rows[:arguments.rows]:
        mean = sum(width[key]) / max(len(width[key]), 1)
        print(f"  {held[key]:4} of {counted[key]}  {truth[key] / 2**20:8.2f} MiB  +-{100 * mean:3.0f} %  in {seen[key]} samples  "
              f"{first[key]['label'][:60]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linn", required=True, type=os.path.abspath)
    parser.add_argument("--recordings", type=int, default=100)
    parser.add_argument("--bytes", type=int, default=65536)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("words", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    commands = split(arguments.words)
    if not commands:
        sys.exit("give a command behind --")
    for command in commands:
        measure(arguments.linn, command, arguments)


if __name__ == "__main__":
    main()
