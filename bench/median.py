# SPDX-License-Identifier: Apache-2.0
"""The median of a few values, and how well it is known."""
import math
import statistics


def with_interval(values):
    """Low, middle and high: the median of all rounds lies between low and high, two of the values, at 95 % at least."""
    ordered, count = sorted(values), len(values)
    rank = 0  # how many values to leave out at each end
    while 2 * sum(math.comb(count, i) for i in range(rank + 2)) <= 0.05 * 2 ** count:
        rank += 1
    return ordered[rank], statistics.median(ordered), ordered[count - 1 - rank]
