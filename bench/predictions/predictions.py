#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `linn advise` measures and what `linn try` gains, for a list of programs: prints a Markdown table.

    inputs.py FOLDER 0.5
    predictions.py debian.toml --linn build/release/tool/linn --folder FOLDER [--budget 60] [--seeds 3] [--pin CPU]
                   [--only NAME]... [--keep RESULTS] [--builds BUILDS]
    predictions.py debian.toml --table RESULTS

The list is TOML: `[[program]]` with `name`, `language`, `command` (run in the folder), and, where needed,
`ignore_exit_status = true`. Each program is recorded, advised, and tried once for each seed, on one processor if it has one
thread. --keep leaves the JSON of the commands, NAME.advise.json and NAME.try-SEED.json, from which --table prints the table
again, and NAME.plan.toml, the plan of the last seed where pools gain. --builds takes the programs from BUILDS/plain/NAME where
there is one, for changed.py. A program that fails is said so, and is no row.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib


def call(words, folder):
    """Runs the words; returns what went wrong, or nothing."""
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return f"{words[1]}: {done.stderr.strip()}" if done.returncode else ""


def build_of(builds, kind, program):
    """The path of a build, or None where there is none."""
    path = builds and (builds / kind / program["name"]).resolve()
    return str(path) if path and path.is_file() else None


def measure(program, arguments, results):
    """Leaves the JSON files and the plan in `results`; returns what went wrong, or nothing."""
    name, linn = program["name"], os.path.abspath(arguments.linn)
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "trace.linn")
        advised = results / f"{name}.advise.json"
        recorded = call([linn, "record", "-q", "-o", trace, "--", *program["command"]], arguments.folder)
        if not os.path.exists(trace):
            return recorded
        if problem := call([linn, "advise", trace, "--json", advised], arguments.folder):
            return problem
        options = ["--budget", str(arguments.budget), "--plan", results / f"{name}.plan.toml"]
        if program.get("ignore_exit_status"):
            options.append("--ignore-exit-status")
        if json.loads(advised.read_text())["trace"]["threads"] <= 1:
            options += ["--pin", str(arguments.pin)]
        for seed in range(1, arguments.seeds + 1):
            words = [linn, "try", trace, *options, "--seed", str(seed), "--json", results / f"{name}.try-{seed}.json", "--", *program["command"]]
            if problem := call(words, arguments.folder):
                return problem
    return ""


def percent(value):
    return f"{round(value * 100, 1) + 0.0:.1f}"  # not "-0.0"


def interval(saved):
    """Of low, middle and high."""
    return "-" if saved is None or None in saved else f"{percent(saved[1])} ({percent(saved[0])} to {percent(saved[2])})"


def range_of(facts, middle):
    """The interval of a JSON object, which can be missing."""
    return interval(facts and (facts["low"], facts[middle], facts["high"]))


def results_of(program, results):
    """The results of `try`, by seed."""
    return [json.loads(file.read_text()) for file in sorted(results.glob(f"{program['name']}.try-*.json"))]


def row_of(program, results):
    advised = json.loads((results / f"{program['name']}.advise.json").read_text())
    tried = results_of(program, results)
    best = tried[-1]["allocator"]
    return [program["name"], program["language"], str(advised["trace"]["threads"]), f"{advised['all']['allocations'] / 1e3:.0f}",
            range_of(advised["allocation_time"], "share"), advised["answer"], "; ".join(range_of(t["gain"], "saved") for t in tried), ", ".join(sorted({t["answer"] for t in tried})),
            f"{best['row']} {range_of(best, 'saved')}" if best else "-"]


def print_table(head, row_of, is_complete, programs):
    """A row for each program that has results."""
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for program in programs:
        if is_complete(program):
            print("| " + " | ".join(row_of(program)) + " |", flush=True)


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
    parser, arguments, programs = read_arguments(__doc__, budget=60, seeds=3)
    head = ["program", "language", "threads", "allocations, thousand", "allocation, % of CPU time", "advise", "pools save, %", "try", "best allocator saves, %"]

    def show(results):
        print_table(head, lambda p: row_of(p, results), lambda p: results_of(p, results), programs)
    if arguments.table:
        return show(arguments.table)
    if not arguments.linn:
        parser.error("--linn or --table is needed")
    with tempfile.TemporaryDirectory() as scratch:
        results = (arguments.keep or pathlib.Path(scratch)).resolve()
        results.mkdir(parents=True, exist_ok=True)
        for program in programs:
            program["command"][0] = build_of(arguments.builds, "plain", program) or program["command"][0]
            problem = measure(program, arguments, results)
            print(f"{program['name']}: {problem or 'done'}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        show(results)


if __name__ == "__main__":
    main()
