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


def child(target):
    """Runs the command and prints its CPU seconds: as a program of its own, since `linn record` has children too."""
    pid = os.fork()
    if pid == 0:
        try:
            os.execvp(target[1], target[1:])
        finally:
            os._exit(127)
    _, _, used = os.wait4(pid, 0)
    with open(target[0], "w", encoding="utf-8") as file:
        print(used.ru_utime + used.ru_stime, file=file)


def measure(recorder, command, folder):
    """The program's CPU seconds; recorded if there is a recorder, into the folder's `trace`."""
    seconds = os.path.join(folder, "seconds")
    # The interpreter that waits for the program is not to be recorded.
    waiter = [sys.executable, os.path.abspath(__file__), "--child", seconds]
    if recorder is not None:
        name = os.path.basename(command[0])
        waiter = [recorder, "record", "-q", "--no-baseline", "--only-exe", name, "-o",
                  os.path.join(folder, "trace"), "--"] + waiter
    subprocess.run(waiter + command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not os.path.exists(seconds):
        sys.exit(f"{' '.join(waiter + command)}: it did not run")
    with open(seconds, encoding="utf-8") as file:
        taken = float(file.read())
    os.unlink(seconds)
    return taken


def events_of(recorder, folder):
    facts = os.path.join(folder, "facts")
    subprocess.run([recorder, "trace", os.path.join(folder, "trace"), "--json", facts], check=True,
                   stdout=subprocess.DEVNULL)
    with open(facts, encoding="utf-8") as file:
        return json.load(file)["events"]


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2:])
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
            events = events_of(recorders[0], folder)
            alone = times.pop(None)
            print(f"{' '.join(command)[:60]}: {events} events, {min(alone):.3f} s alone")
            if events == 0:
                print("  nothing was recorded: a script that starts the program, or a program that allocates nothing")
                continue
            for recorder, taken in times.items():
                least = (min(taken) - min(alone)) / events * 1e9
                median = (statistics.median(taken) - statistics.median(alone)) / events * 1e9
                print(f"  {recorder}: {least:.1f} ns an event, medians {median:.1f}", flush=True)
    return None


if __name__ == "__main__":
    main()
