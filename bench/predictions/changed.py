#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a change in the source saves, next to what the plan of `linn try` saves.

    inputs.py FOLDER 0.5
    predictions.py debian.toml --linn LINN --folder FOLDER --builds BUILDS --keep RESULTS
    changed.py debian.toml --linn LINN --folder FOLDER --builds BUILDS --keep RESULTS [--rounds 100] [--seconds 0] [--pin CPU]
               [--rival NAME=LIBRARY]... [--only NAME]...
    changed.py debian.toml --table RESULTS

BUILDS/plain/NAME and BUILDS/changed/NAME are one program, built twice with the same flags, the second with the pools that
docs/design/predictions.md describes. Each round runs in random order: plain, plain again, plain with the preload and an empty
plan, plain under the plan that `linn try` wrote, changed, and for each rival the allocator preloaded, alone and behind the
plan. What is not there is left out. All must exit and print alike. Times are CPU times of the process; an interval is that of
the median of the ratios to plain in the same round, from order statistics, at least 95 %. A program takes no further round once
it has had --seconds. Its runs are pinned to one processor where it has one thread. Peak memory below that of Python is not
seen.
"""
import hashlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import median  # noqa: E402
from predictions import build_of, interval, print_table, read_arguments

ARMS = ("plain", "again", "empty", "plan", "changed")


def run(words, folder, environment, cpu):
    # Inherited: code of ours between fork and exec would count as the program's.
    os.sched_setaffinity(0, range(os.cpu_count()) if cpu is None else {cpu})
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = hashlib.file_digest(output, "sha256").hexdigest()
    return {"cpu": used.ru_utime + used.ru_stime, "system": used.ru_stime, "faults": used.ru_minflt, "peak_mib": used.ru_maxrss / 1024,
            "status": child.returncode, "output": said}


def compiled(linn, plan):
    """The plan as the preload reads it; what does not exist where there is no plan."""
    result = plan.with_suffix(".compiled")
    if plan.exists():
        subprocess.run([linn, "pools", "--plan", plan, "--compile", result], check=True, stdout=subprocess.DEVNULL)
    return result


def environments(linn, plan, empty, rivals):
    """Of each arm; all have one size, because that alone changes times."""
    pools = str(pathlib.Path(linn).resolve().parent / "liblinn-try.so")
    preloads = {"empty": {"LD_PRELOAD": pools, "LINN_PLAN": str(empty)}}
    if plan.exists():
        preloads["plan"] = {"LD_PRELOAD": pools, "LINN_PLAN": str(plan)}
    for name, library in rivals.items():
        preloads[name] = {"LD_PRELOAD": library}
        if plan.exists():
            preloads[f"plan+{name}"] = {"LD_PRELOAD": f"{pools}:{library}", "LINN_PLAN": str(plan)}

    def size(values):
        return sum(len(name) + len(value) + 2 + 8 for name, value in values.items())  # with the pointer to it
    most = max(map(size, preloads.values())) + len("LINN_PAD") + 10
    return {arm: os.environ | values | {"LINN_PAD": "x" * (most - size(values) - len("LINN_PAD") - 10)}
            for arm, values in ({arm: {} for arm in ARMS} | preloads).items() if arm != "plan" or plan.exists()}


def measure(program, arguments, results):
    """Leaves the samples in `results`; returns what went wrong, or nothing."""
    name = program["name"]
    (results / "empty.plan.toml").write_text("linn_plan = 1\n")
    plan, empty = (compiled(arguments.linn, results / f"{which}.plan.toml") for which in (name, "empty"))
    rivals = dict(text.split("=", 1) for text in arguments.rival or [])
    environment = environments(arguments.linn, plan, empty, rivals)
    changed = build_of(arguments.builds, "changed", program)
    if changed is None:
        del environment["changed"]
    arms = list(environment)
    plain = build_of(arguments.builds, "plain", program) or program["command"][0]
    words = {arm: [changed if arm == "changed" else plain, *program["command"][1:]] for arm in arms}
    advised = json.loads((results / f"{name}.advise.json").read_text())
    cpu = arguments.pin if advised["trace"]["threads"] <= 1 else None
    samples = {arm: [] for arm in arms}
    source = random.Random(name)
    begun = time.monotonic()
    for turn in range(arguments.rounds + 1):  # the first warms up
        if arguments.seconds and time.monotonic() - begun > arguments.seconds:
            break
        source.shuffle(arms)
        for arm in arms:
            sample = run(words[arm], arguments.folder, environment[arm], cpu)
            if turn:
                samples[arm].append(sample)
    seen = {(sample["status"], sample["output"]) for all_of_arm in samples.values() for sample in all_of_arm}
    if len(seen) != 1:
        return "the runs differ in output or exit status: " + ", ".join(
            arm for arm in arms if {(s["status"], s["output"]) for s in samples[arm]} != {(s["status"], s["output"]) for s in samples["plain"]})
    (results / f"{name}.changed.json").write_text(json.dumps(samples, indent=1))
    return ""


def cpu_time(sample):
    return sample["cpu"]


def user_time(sample):
    return sample["cpu"] - sample["system"]


def saved(samples, arm, used=cpu_time, base="plain"):
    """Low, middle and high share of the time that the arm saves; None where it was not measured."""
    if arm not in samples:
        return None
    return median.with_interval([1 - used(a) / used(b) for a, b in zip(samples[arm], samples[base])])


def medians(samples, key, digits):
    return " / ".join(f"{statistics.median(s[key] for s in samples[arm]):.{digits}f}" if arm in samples else "-"
                      for arm in ("plain", "plan", "changed"))


def best_rival(samples):
    """The allocator that saves most alone, and what the plan saves in front of it of what it takes alone."""
    found = [(saved(samples, name), name) for name in samples if name not in ARMS and not name.startswith("plan+")]
    if not found:
        return "-", "-", "-"
    best, name = max(found, key=lambda one: one[0][1])
    both = f"plan+{name}"
    return f"{name} {interval(best)}", interval(saved(samples, both)), interval(saved(samples, both, base=name))


def row_of(program, results):
    name = program["name"]
    samples = json.loads((results / f"{name}.changed.json").read_text())
    advised = json.loads((results / f"{name}.advise.json").read_text())
    times = [s["cpu"] for s in samples["plain"]]
    return [name, f"{advised['all']['allocations'] / 1e3:.0f}", str(len(times)), f"{statistics.median(times):.3f}", interval(saved(samples, "again")),
            interval(saved(samples, "empty")), interval(saved(samples, "plan")), interval(saved(samples, "changed")), *best_rival(samples),
            medians(samples, "faults", 0), medians(samples, "peak_mib", 0)]


def main():
    parser, arguments, programs = read_arguments(__doc__, rounds=100, seconds=0)
    head = ["program", "allocations, thousand", "rounds", "CPU s of plain", "plain again saves, %", "empty plan saves, %", "plan of try saves, %",
            "source saves, %", "best allocator saves, %", "plan in front of it saves, %", "of what it takes alone, %",
            "page faults: plain / plan / source", "MiB: plain / plan / source"]

    def show(results):
        print_table(head, lambda p: row_of(p, results), lambda p: (results / f"{p['name']}.changed.json").exists(), programs)
    if arguments.table:
        return show(arguments.table)
    if not (arguments.linn and arguments.builds and arguments.keep):
        parser.error("--linn, --builds and --keep are needed, or --table")
    results = arguments.keep.resolve()
    for program in programs:
        if (results / f"{program['name']}.advise.json").exists():
            problem = measure(program, arguments, results)
            print(f"{program['name']}: {problem or 'done'}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    show(results)


if __name__ == "__main__":
    main()
