#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tool's statistics with SciPy's and with plain enumeration.

  statistics_reference.py --program PATH   compares what that program prints (statistics_values.cpp); 77 without SciPy
  statistics_reference.py --constants      prints the constants in tests/tool/unit/significance.cpp
"""
import argparse
import itertools
import math
import os
import random
import subprocess
import sys

try:
    import numpy
    from scipy import stats
except ImportError:
    # Distributions install SciPy for their own interpreter, which need not be the first on PATH.
    if "LINN_SCIPY_TRIED" not in os.environ and os.path.exists("/usr/bin/python3"):
        os.execve("/usr/bin/python3", ["/usr/bin/python3", *sys.argv], dict(os.environ, LINN_SCIPY_TRIED="1"))
    print("skipped: no Python with SciPy (Debian: python3-scipy)")
    sys.exit(77)


def wilcoxon(values):
    """SciPy's p-value where it is exact or an approximation on purpose; by enumeration where SciPy ignores ties."""
    kept = [v for v in values if v != 0]
    if not kept:
        return 1.0
    ranks = stats.rankdata([abs(v) for v in kept])
    has_ties = len(set(ranks)) != len(ranks)
    if len(kept) > 50:
        return stats.wilcoxon(kept, correction=True, mode="approx").pvalue
    if not has_ties:
        return stats.wilcoxon(kept, mode="exact").pvalue
    observed = sum(r for r, v in zip(ranks, kept) if v > 0)
    sums = [sum(chosen) for chosen in itertools.product(*[(0, r) for r in ranks])]
    lower = sum(s <= observed for s in sums)
    upper = sum(s >= observed for s in sums)
    return min(1.0, 2 * min(lower, upper) / len(sums))


def mann_whitney(a, b):
    both = list(a) + list(b)
    has_ties = len(set(both)) != len(both)
    if len(both) > 50:
        if len(set(both)) == 1:
            return 1.0
        return stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=True).pvalue
    if not has_ties:
        return stats.mannwhitneyu(a, b, method="exact").pvalue
    ranks = stats.rankdata(both)
    observed = sum(ranks[:len(a)])
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(a))]
    lower = sum(s <= observed for s in sums)
    upper = sum(s >= observed for s in sums)
    return min(1.0, 2 * min(lower, upper) / len(sums))


def holm(values):
    """By the definition: the largest of the corrected values of all that are not larger."""
    n = len(values)
    ordered = sorted(range(n), key=lambda i: values[i])
    corrected = {i: min(1.0, (n - place) * values[i]) for place, i in enumerate(ordered)}
    return [max(corrected[j] for j in ordered[:ordered.index(i) + 1]) for i in range(n)]


def medians_distribution(values):
    """Every median of a resample with its exact probability, ascending."""
    n = len(values)
    ordered = sorted(values)
    if n % 2 == 1:
        below = [stats.binom.sf(n // 2, n, k / n) for k in range(n + 1)]
        return ordered, numpy.diff(below)
    found = {}
    for chosen in itertools.product(ordered, repeat=n):
        middle = sorted(chosen)[n // 2 - 1:n // 2 + 1]
        found[sum(middle) / 2] = found.get(sum(middle) / 2, 0) + 1 / n ** n
    keys = sorted(found)
    return keys, numpy.array([found[k] for k in keys])


def bootstrap_bounds(values, level):
    """The bounds with exact probabilities, as the pairs that 10 000 resamples may take them for."""
    n = len(values)
    tail = stats.norm.cdf(math.sqrt(n / (n - 1)) * stats.t.ppf((1 - level) / 2, n - 1))
    slack = 5 * math.sqrt(tail / 10_000) + 2e-4
    medians, share = medians_distribution(values)
    below = numpy.cumsum(share)

    def quantile(q):
        return medians[min(int(numpy.searchsorted(below, q)), len(medians) - 1)]
    return ((quantile(max(0.0, tail - slack)), quantile(tail + slack)),
            (quantile(1 - tail - slack), quantile(min(1.0, 1 - tail + slack))))


def cases():
    rng = random.Random(20)
    for n in (1, 2, 5, 6, 10, 20, 37, 50, 51, 80, 200):
        for shift in (0, 0.3, 1):
            yield "wilcoxon", ([rng.gauss(shift, 1) for _ in range(n)],), None
    for n in (3, 6, 9, 12, 14):  # ties, zeros
        for _ in range(4):
            yield "wilcoxon", ([rng.randint(-3, 5) for _ in range(n)],), None
    for n in (60, 120):
        yield "wilcoxon", ([rng.randint(-8, 12) for _ in range(n)],), None
    yield "wilcoxon", ([0, 0, 0],), None
    for n, m in ((1, 1), (2, 5), (5, 5), (10, 10), (10, 17), (25, 25), (1, 49), (26, 25), (40, 60), (200, 30)):
        for shift in (0, 0.5, 2):
            yield "mann_whitney", ([rng.gauss(0, 1) for _ in range(n)], [rng.gauss(shift, 1) for _ in range(m)]), None
    for n, m in ((2, 3), (5, 5), (8, 8), (4, 12), (10, 7)):
        for _ in range(3):
            yield "mann_whitney", ([rng.randint(0, 6) for _ in range(n)], [rng.randint(1, 8) for _ in range(m)]), None
    for n, m in ((30, 40), (100, 15)):
        yield "mann_whitney", ([rng.randint(0, 6) for _ in range(n)], [rng.randint(0, 8) for _ in range(m)]), None
    yield "mann_whitney", ([4] * 30, [4] * 30), None
    yield "mann_whitney", ([4] * 5, [4] * 5), None
    for n in (1, 2, 5, 9, 30):
        yield "holm", ([round(rng.random() ** 3, 3) for _ in range(n)],), None
    for n in (6, 7, 9, 15, 31, 101):
        for level in (0.8, 0.95, 0.99):
            yield "bootstrap", ([rng.lognormvariate(0, 0.5) for _ in range(n)],), level


def text(values):
    return " ".join(repr(v) for v in values)


def compare(program):
    wanted, lines = [], []
    for kind, samples, level in cases():
        if kind == "bootstrap":
            lines.append(f"bootstrap {level} 7 {text(samples[0])}")
            wanted.append(bootstrap_bounds(samples[0], level))
        else:
            lines.append(f"{kind} {' / '.join(text(s) for s in samples)}")
            wanted.append({"wilcoxon": wilcoxon, "mann_whitney": mann_whitney, "holm": holm}[kind](*samples))
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    answers = done.stdout.splitlines()
    assert len(answers) == len(lines), f"{len(lines)} cases, {len(answers)} answers"
    wrong = 0
    for line, want, answer in zip(lines, wanted, answers):
        got = [float(word) for word in answer.split()]
        if line.startswith("bootstrap"):
            values = [float(word) for word in line.split()[3:]]
            good = math.isclose(got[0], numpy.median(values), rel_tol=1e-12) and all(
                low <= g * (1 + 1e-12) and g <= high * (1 + 1e-12) for g, (low, high) in zip(got[1:], want))
        else:
            want = want if isinstance(want, list) else [want]
            good = len(got) == len(want) and all(
                math.isclose(g, w, rel_tol=1e-9, abs_tol=1e-300) for g, w in zip(got, want))
        if not good:
            wrong += 1
            print(f"differs: {line[:200]}\n  ours {got}\n  reference {want}")
    print(f"{len(lines)} cases, {wrong} differ")
    sys.exit(1 if wrong else 0)


def constants():
    rng = random.Random(4)
    normal = [round(rng.gauss(0.4, 1), 2) for _ in range(12)]
    tied = [rng.randint(-3, 5) for _ in range(12)]
    many = [round(rng.gauss(0.2, 1), 3) for _ in range(60)]
    a, b = [round(rng.gauss(0, 1), 2) for _ in range(8)], [round(rng.gauss(1, 1), 2) for _ in range(9)]
    c, d = [rng.randint(0, 5) for _ in range(8)], [rng.randint(2, 7) for _ in range(9)]
    e, f = [rng.randint(0, 5) for _ in range(30)], [rng.randint(0, 7) for _ in range(30)]
    for name, value in (("normal", normal), ("tied", tied), ("many", many)):
        print(f"{name} {{{text(value).replace(' ', ', ')}}} -> {wilcoxon(value)!r}")
    for x, y in ((a, b), (c, d), (e, f)):
        print(f"{{{text(x).replace(' ', ', ')}}} {{{text(y).replace(' ', ', ')}}} -> {mann_whitney(x, y)!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--program")
    group.add_argument("--constants", action="store_true")
    arguments = parser.parse_args()
    if arguments.constants:
        constants()
    else:
        compare(arguments.program)


main()
