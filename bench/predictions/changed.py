#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a change in the source saves, next to what `linn advise` predicts and the plan of `linn try` saves.

    inputs.py FOLDER 4
    predictions.py debian.toml --linn LINN --folder FOLDER --builds BUILDS --keep RESULTS
    changed.py debian.toml --linn LINN --folder FOLDER --builds BUILDS --keep RESULTS [--rounds 15] [--only NAME]...
    changed.py debian.toml --table RESULTS

BUILDS/plain/NAME and BUILDS/changed/NAME are one program, built twice with the same flags, the second with the pools that
docs/design/predictions.md describes. Each round runs in random order: plain, plain again, plain under the plan that `linn try`
wrote, and changed. All must exit and print alike. Times are CPU times of the process; an interval is that of the median of
the ratios to plain in the same round, from order statistics, at least 95 %. Peak memory below that of Python is not seen.
"""
import hashlib
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from predictions import build_of, interval, judge, percent, print_table, read_arguments

ARMS = ("plain", "again", "plan", "changed")


def run(words, folder, environment):
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = hashlib.file_digest(output, "sha256").hexdigest()
    return {"cpu": used.ru_utime + used.ru_stime, "system": used.ru_stime, "faults": used.ru_minflt, "peak_mib": used.ru_maxrss / 1024,
            "status": child.returncode, "output": said}


def environments(linn, plan):
    """Of each arm; all have one size, because that alone changes times."""
    preload = {"LD_PRELOAD": str(pathlib.Path(linn).resolve().parent / "liblinn-try.so"), "LINN_PLAN": str(plan)}
    pad = {"LINN_PAD": "x" * (sum(len(name) + len(value) + 2 for name, value in preload.items()) - len("LINN_PAD") - 2)}
    return {arm: os.environ | (preload if arm == "plan" else pad) for arm in ARMS}


def measure(program, arguments, results):
    """Leaves the samples in `results`; returns what went wrong, or nothing."""
    name = program["name"]
    plan = results / f"{name}.plan.toml"
    arms = [arm for arm in ARMS if arm != "plan" or plan.exists()]
    environment = environments(arguments.linn, plan)
    words = {arm: [build_of(arguments.builds, "changed" if arm == "changed" else "plain", program), *program["command"][1:]] for arm in arms}
    samples = {arm: [] for arm in arms}
    source = random.Random(name)
    for turn in range(arguments.rounds + 1):  # the first warms up
        source.shuffle(arms)
        for arm in arms:
            sample = run(words[arm], arguments.folder, environment[arm])
            if turn:
                samples[arm].append(sample)
    seen = {(sample["status"], sample["output"]) for all_of_arm in samples.values() for sample in all_of_arm}
    if len(seen) != 1:
        return "the runs differ in output or exit status"
    (results / f"{name}.changed.json").write_text(json.dumps(samples, indent=1))
    return ""


def cpu_time(sample):
    return sample["cpu"]


def user_time(sample):
    return sample["cpu"] - sample["system"]


def saved(samples, arm, time=cpu_time):
    """Low, middle and high share of the time that the arm saves; None where it was not measured."""
    if arm not in samples:
        return None
    shares = sorted(1 - time(a) / time(b) for a, b in zip(samples[arm], samples["plain"]))
    count = len(shares)
    rank = 0  # how many values to leave out at each end
    while 2 * sum(math.comb(count, i) for i in range(rank + 2)) <= 0.05 * 2 ** count:
        rank += 1
    return shares[rank], statistics.median(shares), shares[count - 1 - rank]


def medians(samples, key, digits):
    return " / ".join(f"{statistics.median(s[key] for s in samples[arm]):.{digits}f}" if arm in samples else "-"
                      for arm in ("plain", "plan", "changed"))


def row_of(program, results):
    name = program["name"]
    samples = json.loads((results / f"{name}.changed.json").read_text())
    advised = json.loads((results / f"{name}.advise.json").read_text())
    tried = json.loads((results / f"{name}.try.json").read_text())
    pools = advised["pools"]
    times = [s["cpu"] for s in samples["plain"]]
    source = saved(samples, "changed")
    return [name, f"{advised['all']['allocations'] / 1e3:.0f}", f"{min(times):.2f} {statistics.median(times):.2f}",
            "-" if pools is None else f"{percent(pools['low'])} to {percent(pools['high'])}", advised["answer"], tried["answer"],
            interval(saved(samples, "plan")), interval(source), judge(pools, source), interval(saved(samples, "changed", user_time)),
            interval(saved(samples, "again")),
            medians(samples, "faults", 0), medians(samples, "peak_mib", 0)]


def main():
    parser, arguments, programs = read_arguments(__doc__, rounds=15)
    table = (["program", "allocations, thousand", "CPU s of plain, min and median", "advise: pools save, %", "advise", "try", "plan of try saves, %",
              "source saves, %", "source lies", "source saves of user time, %", "plain again saves, %", "page faults: plain / plan / source",
              "MiB: plain / plan / source"], row_of, ["advise", "try", "changed"], programs)
    if arguments.table:
        return print_table(*table, arguments.table)
    if not (arguments.linn and arguments.builds and arguments.keep):
        parser.error("--linn, --builds and --keep are needed, or --table")
    results = arguments.keep.resolve()
    for program in programs:
        if build_of(arguments.builds, "changed", program):
            problem = measure(program, arguments, results)
            print(f"{program['name']}: {problem or 'done'}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    print_table(*table, results)


if __name__ == "__main__":
    main()
