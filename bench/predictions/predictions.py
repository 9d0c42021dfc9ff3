#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `linn advise` predicts beside what `linn try` measures, for a list of programs: prints a Markdown table.

    inputs.py FOLDER
    predictions.py debian.toml --linn build/release/tool/linn --folder FOLDER [--budget 60] [--only NAME]... [--keep RESULTS]
    predictions.py debian.toml --table RESULTS

The list is TOML: `[[program]]` with `name`, `language`, `command` (run in the folder), and, where needed,
`ignore_exit_status = true`. Each program is recorded, advised and tried, one after another. --keep leaves the JSON of both
commands, NAME.advise.json and NAME.try.json, from which --table prints the table again. A program that fails is said so,
and is no row.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

LEAST_ROUNDS = 6  # for an interval of 95 %


def call(words, folder):
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr.strip()


def measure(linn, program, folder, budget, results):
    """Leaves both JSON files in `results`; returns what went wrong, or nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "trace.linn")
        advised = results / f"{program['name']}.advise.json"
        tried = results / f"{program['name']}.try.json"
        _, said = call([linn, "record", "-q", "-o", trace, "--", *program["command"]], folder)
        if not os.path.exists(trace):
            return f"record: {said}"
        status, said = call([linn, "advise", trace, "--json", advised], folder)
        if status:
            return f"advise: {said}"
        ignored = ["--ignore-exit-status"] if program.get("ignore_exit_status") else []
        status, said = call([linn, "try", trace, "--budget", str(budget), *ignored, "--json", tried, "--", *program["command"]], folder)
        return f"try: {said}" if status else ""


def saved_by(run, name):
    """Low, middle and high share of CPU time that the row saves; None where it was not measured."""
    for row in run["rows"] if run else []:
        cpu = row["estimates"].get("cpu_ns") if row["name"] == name else None
        if cpu and row["failure"] is None and run["complete_rounds"] >= LEAST_ROUNDS:
            return 1 - cpu["ratio_high"], 1 - cpu["ratio"], 1 - cpu["ratio_low"]
    return None


def percent(value):
    return f"{value * 100:.1f}"


def interval(saved):
    return "-" if saved is None else f"{percent(saved[1])} ({percent(saved[0])} to {percent(saved[2])})"


def judge(predicted, saved):
    """How the predicted range lies to the measured interval."""
    if predicted is None or saved is None:
        return "-"
    if predicted["low"] <= saved[1] <= predicted["high"]:
        return "within"
    if predicted["high"] >= saved[0] and predicted["low"] <= saved[2]:
        return "overlaps"
    return "too low" if predicted["high"] < saved[0] else "too high"


def best_allocator(run):
    """The one that saves most, by its name."""
    own = {"default", "default-again", "pools", "sizes", "lookup", "empty", "both"}
    rows = [(row["name"], saved_by(run, row["name"])) for row in run["rows"] if row["name"] not in own]
    rows = [(name, saved) for name, saved in rows if saved]
    if not rows:
        return "-"
    name, saved = max(rows, key=lambda row: row[1][1])
    return f"{name} {interval(saved)}"


def row_of(program, results):
    advised = json.loads((results / f"{program['name']}.advise.json").read_text())
    tried = json.loads((results / f"{program['name']}.try.json").read_text())
    run = tried["together"]
    saved = saved_by(run, "pools")
    pools = advised["pools"]
    return [program["name"], program["language"], str(advised["trace"]["threads"]), f"{advised['all']['allocations'] / 1e3:.0f}",
            "-" if pools is None else f"{percent(pools['low'])} to {percent(pools['high'])}", advised["answer"], interval(saved),
            tried["answer"], judge(pools, saved), interval(saved_by(run, "empty")), best_allocator(run) if run else "-"]


def print_table(programs, results):
    head = ["program", "language", "threads", "allocations, thousand", "advise: pools save, %", "answer", "try: pools save, %",
            "answer", "measured lies", "try: empty plan saves, %", "best allocator saves, %"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for program in programs:
        if (results / f"{program['name']}.try.json").exists():
            print("| " + " | ".join(row_of(program, results)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("--linn")
    parser.add_argument("--folder", default=".")
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--only", action="append")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    with open(arguments.list, "rb") as file:
        programs = [p for p in tomllib.load(file)["program"] if not arguments.only or p["name"] in arguments.only]
    if arguments.table:
        return print_table(programs, arguments.table)
    if not arguments.linn:
        parser.error("--linn or --table is needed")
    linn = os.path.abspath(arguments.linn)
    with tempfile.TemporaryDirectory() as scratch:
        results = (arguments.keep or pathlib.Path(scratch)).resolve()
        results.mkdir(parents=True, exist_ok=True)
        for program in programs:
            problem = measure(linn, program, arguments.folder, arguments.budget, results)
            load = os.getloadavg()[0]
            print(f"{program['name']}: {problem or 'done'}, load {load:.1f}", file=sys.stderr, flush=True)
        print_table(programs, results)


if __name__ == "__main__":
    main()
