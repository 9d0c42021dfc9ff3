#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges Linn's targets, targets.toml, by what `linn bench --json` measured.

    linn bench targets reuse shared-ptr pipeline buffers pmr --full --json result.json
    bench/targets.py result.json

A time is the least of its samples: what the code can do. Targets that the files do not measure are counted at the end. The exit status is 0 whatever was missed: a time is no test.
"""
import argparse
import fnmatch
import json
import math
import pathlib
import tomllib


class Results:
    """The rows of all files, by scenario and variant."""

    def __init__(self, files):
        self.scenarios = {}
        self.phases = {}
        for name in files:
            for scenario in json.loads(pathlib.Path(name).read_text())["scenarios"]:
                self.phases[scenario["name"]] = [phase["name"] for phase in scenario["phases"]]
                rows = self.scenarios.setdefault(scenario["name"], {})
                for row in scenario["rows"]:
                    if row["contender"] != "glibc-again":
                        rows.setdefault(row["variant"], []).append(row)

    def best(self, scenario, variant, phase, of):
        """The least value of a variant, and the contender that has it. A variant may name another scenario: "pairs/linn_pool"."""
        where, _, name = variant.rpartition("/")
        found = [(value(row["phases"][phase], of), row["contender"])
                 for row in self.scenarios.get(where or scenario, {}).get(name, ()) if row["phases"][phase] is not None]
        return min(found, default=None)


def value(phase, of):
    if of == "ns":
        return phase["ns"]["minimum"]
    return phase[of] if of in phase else phase["metrics"][of]


def phases_of(results, target):
    return [name for name in results.phases.get(target["scenario"], ())
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in target.get("phases", ["*"]))]


def figures(results, target):
    """For each phase, Linn's value or its ratio to the best rival's, and in words where it is."""
    of = target.get("of", "ns")
    for phase in phases_of(results, target):
        ours = results.best(target["scenario"], target["ours"], phase, of)
        if ours is None:
            continue
        if not target.get("rivals"):
            yield ours[0], phase
            continue
        rivals = filter(None, (results.best(target["scenario"], rival, phase, of) for rival in target["rivals"]))
        rival = min(rivals, default=None)
        if rival is not None:
            better = "at_least" in target or "mean_at_least" in target
            yield (rival[0] / ours[0] if better else ours[0] / rival[0]), f"{phase}, {rival[1]}"


def judge(results, target):
    """Whether the target is met, and by how much; nothing where not all of it was measured."""
    found = list(figures(results, target))
    if not found or len(found) < len(phases_of(results, target)):
        return None
    if "mean_at_least" in target:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
        return mean >= target["mean_at_least"], f"{mean:.2f}"
    if "flat" in target:
        ratio = max(found)[0] / min(found)[0]
        return ratio <= target["flat"], f"{ratio:.2f}, from {min(found)[1]} to {max(found)[1]}"
    if "at_least" in target:
        worst, where = min(found)
        return worst >= target["at_least"], f"worst {worst:.3g} ({where})"
    worst, where = max(found)
    return worst <= target["at_most"], f"worst {worst:.3g} ({where})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="RESULT", help="what linn bench --json wrote")
    arguments = parser.parse_args()
    results = Results(arguments.files)
    table = tomllib.loads(pathlib.Path(__file__).with_name("targets.toml").read_text())
    targets = [{**common, **target, "scenario": scenario} for scenario, common in table.items()
               for target in common["targets"]]
    missing = []
    for target in targets:
        verdict = judge(results, target)
        if verdict is None:
            missing.append(target)
        else:
            print(f"{'PASS' if verdict[0] else 'MISS'}  {target['number']:<3} {target['scenario']}: {target['what']}: {verdict[1]}")
    if missing:
        scenarios = dict.fromkeys(target["scenario"] for target in missing)
        print(f"not measured: {len(missing)} of {len(targets)} targets, of {', '.join(scenarios)}")


if __name__ == "__main__":
    main()
