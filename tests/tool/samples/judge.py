#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a sample under the preload, names its sites, and compares with what the sample says of itself."""
import argparse
import collections
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile


def read_rows(text):
    return [line.split("\t") for line in text.splitlines() if line]


def matches(pattern, text):
    # fnmatch's brackets mean something else than an array's.
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


class Verdict:
    """How many of the allocations that a sample expects were named so."""

    def __init__(self, truth, sites):
        self.expected = sum(int(row[0]) for row in truth)
        self.right = self.type_right = 0
        self.rules = collections.Counter()
        self.missing = []
        left = [[int(row[0]), row] for row in sites]
        for count, kind, container in ((int(r[0]), r[1], r[2]) for r in truth):
            found = 0
            for entry in left:
                row = entry[1]
                if matches(kind, row[3]) and matches(container, row[4]):
                    take = min(entry[0], count - found)
                    found += take
                    entry[0] -= take
                    self.rules[row[2]] += take
            self.right += found
            if found < count:
                self.missing.append((count - found, kind, container))
        self.unexplained = sorted(((n, row) for n, row in left if n), key=lambda one: -one[0])

    @property
    def share(self):
        return self.right / self.expected if self.expected else 0.0


def judge(program, preload, namer, scale=1, debug_dirs=(), name=None):
    """`name`: the file that is given to the namer instead of the one that ran."""
    with tempfile.TemporaryDirectory(prefix="linn-samples-") as folder:
        truth, sites = pathlib.Path(folder, "truth"), pathlib.Path(folder, "sites")
        environment = dict(os.environ, LD_PRELOAD=str(preload), LINN_SAMPLE_TRUTH=str(truth),
                           LINN_SAMPLE_SITES=str(sites))
        subprocess.run([str(program), str(scale)], env=environment, check=True, timeout=60)
        command = [str(namer), str(name or program), str(sites)]
        for one in debug_dirs:
            command += ["--debug-dir", str(one)]
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True, timeout=120)
        return Verdict(read_rows(truth.read_text()), read_rows(result.stdout)), result


def describe(verdict, limit=12):
    lines = [f"{verdict.right} of {verdict.expected} right ({verdict.share:.1%}); by rule: "
             + ", ".join(f"{rule} {count}" for rule, count in verdict.rules.most_common())]
    lines += [f"  missing {count}: {kind} in {container or 'nothing'}" for count, kind, container in verdict.missing]
    if verdict.missing:
        lines += [f"  left over {count} x {row[1]} B by {row[2]}: {row[3]} in {row[4] or 'nothing'} at {row[6]}"
                  for count, row in verdict.unexplained[:limit]]
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--preload", required=True)
    options.add_argument("--namer", required=True)
    options.add_argument("--at-least", type=float, default=0.95)
    options.add_argument("--verbose", action="store_true")
    options.add_argument("programs", nargs="+")
    given = options.parse_args()
    failed = False
    for program in given.programs:
        verdict, result = judge(program, given.preload, given.namer)
        print(pathlib.Path(program).name + ":", describe(verdict))
        if given.verbose:
            print(result.stdout)
        failed = failed or verdict.share < given.at_least
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
