#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `linn advise` predicts and what `linn try` measures, for a list of programs: prints a Markdown table.

    inputs.py FOLDER
    predictions.py debian.toml --linn build/release/tool/linn --folder FOLDER [--budget 60] [--only NAME]... [--keep RESULTS]
                   [--builds BUILDS]
    predictions.py debian.toml --table RESULTS

The list is TOML: `[[program]]` with `name`, `language`, `command` (run in the folder), and, where needed,
`ignore_exit_status = true`. Each program is recorded, advised and tried, one after another. --keep leaves the JSON of both
commands, NAME.advise.json and NAME.try.json, from which --table prints the table again, and the plan of all pools that
were tried, NAME.plan.toml. --builds takes the programs from BUILDS/plain/NAME where there is one, for changed.py. A program
that fails is said so, and is no row.
"""
import argparse
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

LEAST_ROUNDS = 6  # for an interval of 95 %


def call(words, folder):
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr.strip()


def build_of(builds, kind, program):
    """The path of a build, or None where there is none."""
    path = builds and (builds / kind / program["name"]).resolve()
    return str(path) if path and path.is_file() else None


def try_and_keep_plan(words, folder, plan):
    """`linn try` writes a plan only where pools gain, but measures one in any case: takes it from its scratch folder."""
    with tempfile.TemporaryDirectory() as scratch:
        trial = subprocess.Popen(words, cwd=folder, env=os.environ | {"TMPDIR": scratch}, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = []
        while trial.poll() is None and not found:
            time.sleep(0.2)
            found = glob.glob(f"{scratch}/**/pools.toml", recursive=True)
            for file in found:
                shutil.copy(file, plan)
        said = trial.communicate()[1]
        return trial.returncode, said.strip()


def measure(linn, program, folder, budget, results):
    """Leaves both JSON files and the plan in `results`; returns what went wrong, or nothing."""
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
        status, said = try_and_keep_plan([linn, "try", trace, "--budget", str(budget), *ignored, "--json", tried, "--", *program["command"]],
                                         folder, results / f"{program['name']}.plan.toml")
        return f"try: {said}" if status else ""


def saved_by(run, name):
    """Low, middle and high share of CPU time that the row saves; None where it was not measured."""
    for row in run["rows"] if run else []:
        cpu = row["estimates"].get("cpu_ns") if row["name"] == name else None
        if cpu and row["failure"] is None and run["complete_rounds"] >= LEAST_ROUNDS:
            return 1 - cpu["ratio_high"], 1 - cpu["ratio"], 1 - cpu["ratio_low"]
    return None


def percent(value):
    return f"{round(value * 100, 1) + 0.0:.1f}"  # not "-0.0"


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


def print_table(head, row_of, kinds, programs, results):
    """A row for each program that has a result of each kind."""
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for program in programs:
        if all((results / f"{program['name']}.{kind}.json").exists() for kind in kinds):
            print("| " + " | ".join(row_of(program, results)) + " |", flush=True)


def read_arguments(description, **numbers):
    """The parser, what it read, and the wanted programs of the list; `numbers` are options of one script alone, with defaults."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("--linn")
    parser.add_argument("--folder", default=".")
    parser.add_argument("--only", action="append")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--builds", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--pin", type=int, default=os.cpu_count() - 1, help="processor of programs with one thread")
    parser.add_argument("--rival", action="append", help="NAME=LIBRARY of an allocator")
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with open(arguments.list, "rb") as file:
        programs = [p for p in tomllib.load(file)["program"] if not arguments.only or p["name"] in arguments.only]
    return parser, arguments, programs


def main():
    parser, arguments, programs = read_arguments(__doc__, budget=60)
    table = (["program", "language", "threads", "allocations, thousand", "advise: pools save, %", "answer", "try: pools save, %",
              "answer", "measured lies", "try: empty plan saves, %", "best allocator saves, %"], row_of, ["try"], programs)
    if arguments.table:
        return print_table(*table, arguments.table)
    if not arguments.linn:
        parser.error("--linn or --table is needed")
    linn = os.path.abspath(arguments.linn)
    with tempfile.TemporaryDirectory() as scratch:
        results = (arguments.keep or pathlib.Path(scratch)).resolve()
        results.mkdir(parents=True, exist_ok=True)
        for program in programs:
            program["command"][0] = build_of(arguments.builds, "plain", program) or program["command"][0]
            problem = measure(linn, program, arguments.folder, arguments.budget, results)
            load = os.getloadavg()[0]
            print(f"{program['name']}: {problem or 'done'}, load {load:.1f}", file=sys.stderr, flush=True)
        print_table(*table, results)


if __name__ == "__main__":
    main()
