# SPDX-License-Identifier: Apache-2.0
"""The time in the allocator, of a program for which it is known: half of each round by default."""
import json
import pathlib
import xml.etree.ElementTree

import cases
from cases import check

COST = 2000  # ticks of a slow call; two in each round
LIMIT = 100


class Tool(cases.Tool):
    limit = LIMIT

    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.file = str(folder / "a.linn")

    def measure(self, rounds, work, threads=1, options=("--baseline",)):
        """The JSON of linn advise."""
        program = [self.programs["known_share"], str(rounds), str(work), str(threads)]
        self.call("record", "-o", self.file, *options, "--", *program, status=0)
        return json.loads(self.call("advise", self.file, "--json", "-", status=0).stdout)


def near(value, expected, by=0.06):
    check(abs(value - expected) <= by, f"{value} in place of {expected}")


def share(result):
    check(result["allocation_time"] is not None, result["time_unknown"])
    time = result["allocation_time"]
    check(0 <= time["low"] <= time["share"] <= time["high"] <= 1, time)
    return time["share"]


def case_share_of_a_known_program(tool):
    for work in (4 * COST, 12 * COST):
        near(share(tool.measure(60_000, work)), 2 * COST / (2 * COST + work))
    near(share(tool.measure(30_000, 2 * COST, threads=3)), 0.5)
    near(share(tool.measure(60_000, 2 * COST, options=["--no-baseline"])), 0.5, by=0.12)


def case_stacks_by_time(tool):
    """The nanoseconds of all stacks are the share of the program's CPU time, in the flame graph of the page too; they are not those
    of some of the blocks."""
    time = tool.measure(60_000, 4 * COST)["allocation_time"]
    words = ("trace", tool.file, "--convert", "collapsed", "--weight", "time")
    lines = tool.call(*words).stdout.splitlines()
    by_stack = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
    near(by_stack / time["cpu_ns"], time["share"], by=0.001)
    page = pathlib.Path(tool.file).with_suffix(".html")
    tool.call("trace", tool.file, "--html", page)
    root = xml.etree.ElementTree.fromstring(page.read_text(encoding="utf-8"))
    graph = next(e for e in root.iter() if e.get("data-measures"))
    place = graph.get("data-measures").split("|").index("CPU time in the allocator")
    whole = float(next(graph.iter("li")).get("data-w").split()[place])
    near(whole / by_stack, 1, by=0.001)
    check("Types, by CPU time in the allocator" in page.read_text(), "the tables are in another order")
    refused = tool.call(*words, "--leaks")
    check(refused.returncode == 2 and "leave out --leaks" in refused.stderr, refused.stderr)


def sums_of(tool, *program, options=()):
    tool.call("record", "--no-baseline", *options, "-o", tool.file, "--", *program)
    end = pathlib.Path(tool.file).read_bytes().split(b'"call_times": ')[1]
    return json.loads(end[:end.index(b"}") + 1])


def case_cold_caches_do_not_make_the_readings_dear(tool):
    """Else the share of a server is 0.0 % and not 0.8: what the readings cost is subtracted from calls that took less."""
    def reading(lines):
        sums = sums_of(tool, tool.programs["known_share"], "60000", "100", "1", lines)
        return sums["nothing_plain_ticks"] / sums["nothing_plain"]

    warm, cold = reading("0"), reading("200")
    check(cold < 4 * warm, f"{cold} ticks, {warm} where nothing else needs the caches")


def case_sample(tool):
    """A sample has few blocks, but sums over all calls: two in four of a round take COST ticks."""
    sums = sums_of(tool, tool.programs["known_share"], "60000", str(2 * COST), "1", options=["--sample", "65536"])
    check(abs(sums["plain_calls"] + sums["fenced_calls"] - 240_000) < 24_000, sums)
    near(sums["plain_ticks"] / sums["plain_calls"], COST / 2, by=COST / 4)


def case_short_processes(tool):
    """A script's commands make few calls each, and all count: otherwise "no pool needed" rests on those of the shell."""
    script = f"for i in $(seq 300); do {tool.programs['known_share']} 40 0 1; done"
    sums = sums_of(tool, "sh", "-c", script)
    calls = sums["plain_calls"] + sums["fenced_calls"]
    check(abs(calls - 300 * 160) < 300 * 32, sums)


def case_a_release_counts_for_the_type_of_its_block(tool):
    # malloc of 64 bytes and free of 96 bytes take equally long, and each is all that its type takes.
    by_label = {t["label"].split("-")[0]: t["time_share"] for t in tool.measure(60_000, 2 * COST)["types"]}
    near(by_label["64"], 0.25)
    near(by_label["96"], 0.25)
