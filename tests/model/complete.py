#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that controls.txt is complete: every place that a scenario passes, at which a lock, an order or a barrier could be
taken away, is taken away in some line. And that the scenarios of the program are those that are tests.

Usage: complete.py LINN_MODEL CONTROLS_TXT SCENARIO...

A line "# unseen: PLACE" names one where the model cannot see what that does, below a line with the reason.
"""
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    program, path, *tests = sys.argv[1:]
    controls, unseen = set(), set()
    with open(path, encoding="utf-8") as file:
        for line in map(str.strip, file):
            if line.startswith("# unseen: "):
                unseen.add(line.removeprefix("# unseen: "))
            elif line and not line.startswith("#"):
                controls.add(line.partition(": ")[2])

    scenarios = {s.removesuffix(" nightly") for s in output(program, "--list")}
    errors = [f"no test: {s}" for s in sorted(scenarios ^ set(tests))]
    places = set()
    for scenario in sorted(scenarios):
        if scenario.startswith("litmus."):
            continue  # about the model itself
        lines = output(program, scenario, "--sites", "--most=300")
        places.update(line for line in lines if line.startswith(("unlock ", "weaken ", "soften ", "barrier")))
    errors += [f"nobody takes it away: {p}" for p in sorted(places - controls - unseen)]
    errors += [f"no scenario passes it: {p}" for p in sorted((controls | unseen) - places)]
    errors += [f"both a control and unseen: {p}" for p in sorted(controls & unseen)]
    print("\n".join(errors) or f"{len(scenarios)} scenarios, {len(places)} places, {len(controls)} controls")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
