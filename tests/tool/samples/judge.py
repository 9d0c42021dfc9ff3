#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a sample, lets linn advise name its types, and compares with what the sample says of itself."""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def matches(pattern, text):
    # fnmatch's brackets mean something else than an array's.
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


class Verdict:
    """How many of the allocations that a sample expects were named so."""

    def __init__(self, truth, advice):
        self.expected = sum(count for count, _, _ in truth)
        self.right = 0
        self.rules = collections.Counter()
        self.missing = []
        self.problems = " ".join(one["text"] for one in advice["findings"] if one["kind"] == "symbols")
        left = [[one["statistics"]["allocations"], one] for one in advice["types"]]
        for count, kind, container in truth:
            found = 0
            for entry in left:
                if matches(kind, entry[1]["type"] or "") and matches(container, entry[1]["container"] or ""):
                    take = min(entry[0], count - found)
                    found += take
                    entry[0] -= take
                    self.rules[entry[1]["named_by"]] += take
            self.right += found
            if found < count:
                self.missing.append((count - found, kind, container))
        self.unexplained = sorted(((n, one) for n, one in left if n), key=lambda pair: -pair[0])

    @property
    def share(self):
        return self.right / self.expected if self.expected else 0.0


def judge(program, linn, debug_dirs=(), before_advice=lambda: None):
    """`before_advice`: what happens to the program after it ran."""
    with tempfile.TemporaryDirectory(prefix="linn-samples-") as folder:
        truth, trace = pathlib.Path(folder, "truth"), pathlib.Path(folder, "trace.linn")
        subprocess.run([linn, "record", "-q", "--no-baseline", "-o", trace, "--", program],
                       env=dict(os.environ, LINN_SAMPLE_TRUTH=str(truth)), check=True, timeout=60)
        before_advice()
        command = [linn, "advise", "--json", "-", trace]
        for one in debug_dirs:
            command += ["--debug-dir", one]
        result = subprocess.run(command, capture_output=True, check=True, timeout=120)
        rows = [line.split("\t") for line in truth.read_text().splitlines()]
        return Verdict([(int(count), kind, container) for count, kind, container in rows], json.loads(result.stdout))


def describe(verdict, limit=12):
    lines = [f"{verdict.right} of {verdict.expected} right ({verdict.share:.1%}); by rule: "
             + ", ".join(f"{rule} {count}" for rule, count in verdict.rules.most_common())]
    lines += [f"  missing {count}: {kind} in {container or 'nothing'}" for count, kind, container in verdict.missing]
    if verdict.missing:
        lines += [f"  left over {count} by {one['named_by']}: {one['label']} in {one['container'] or 'nothing'}"
                  for count, one in verdict.unexplained[:limit]]
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--linn", required=True)
    options.add_argument("--least", type=float, default=0.95, help="the share that must be right")
    options.add_argument("programs", nargs="+")
    given = options.parse_args()
    failed = False
    for program in given.programs:
        verdict = judge(program, given.linn)
        print(pathlib.Path(program).name + ":", describe(verdict))
        failed = failed or verdict.share < given.least
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
