#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording an event costs in programs of every day: each command alone and under `linn record`, in turns.

    programs.py --linn build/release/tool/linn [--linn OTHER/linn]... [--rounds 5] -- COMMAND [-- COMMAND]...

Nanoseconds of the program's own CPU time an event over the run alone: the difference of the least of all rounds, and of
their medians. With more than one recorder they take turns too, so that the machine's moods meet all of them.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


def split(words):
    """The commands between `--`."""
    commands = [[]]
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def measure(recorder, command, folder):
    """The program's CPU seconds; recorded if there is a recorder, into the folder's `trace`."""
    words = command
    if recorder is not None:
        trace = pathlib.Path(folder, "trace")
        trace.unlink(missing_ok=True)
        words = [recorder, "record", "-q", "--no-baseline", "-o", str(trace), "--", *command]
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(program.pid, 0)
    if recorder is None:
        return used.ru_utime + used.ru_stime
    facts = facts_of(recorder, folder)
    return (facts["user_ns"] + facts["system_ns"]) / 1e9


def facts_of(recorder, folder):
    facts = os.path.join(folder, "facts")
    subprocess.run([recorder, "trace", os.path.join(folder, "trace"), "--json", facts], check=True,
                   stdout=subprocess.DEVNULL)
    with open(facts, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linn", required=True, action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options, words = sys.argv[1:], []
    if "--" in options:
        options, words = options[:options.index("--")], options[options.index("--") + 1:]
    arguments = parser.parse_args(options)
    recorders = [os.path.abspath(path) for path in arguments.linn]
    order = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for command in split(words):
            times = {recorder: [] for recorder in [None, *recorders]}
            for _ in range(arguments.rounds):
                for recorder in order.sample(list(times), len(times)):
                    times[recorder].append(measure(recorder, command, folder))
            events = facts_of(recorders[0], folder)["events"]
            alone = times.pop(None)
            print(f"{' '.join(command)[:60]}: {events} events, {min(alone):.3f} s alone")
            if events == 0:
                print("  nothing was recorded: a script that starts the program, or a program that allocates nothing")
                continue
            for recorder, taken in times.items():
                least = (min(taken) - min(alone)) / events * 1e9
                median = (statistics.median(taken) - statistics.median(alone)) / events * 1e9
                print(f"  {recorder}: {least:.1f} ns an event, medians {median:.1f}", flush=True)


if __name__ == "__main__":
    main()
