#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`linn try` on a program of two node types, as a user would call it; one case a call.

How much is gained is a matter of the machine and of what else it does; what is tried, served, compared and written is not.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cases import check, main, named, prose, skip

ROUNDS = "60000"
QUICK = ["--rounds", "2", "--warm-up", "0", "--seed", "7"]


class Tool:
    def __init__(self, arguments, folder):
        self.programs = named(arguments.program)
        self.linn = arguments.linn
        self.folder = folder
        self.churn = [self.programs["churn"], ROUNDS]

    def call(self, verb, *words, status=0):
        done = subprocess.run([self.linn, verb, *map(str, words)], capture_output=True, text=True, timeout=250, cwd=self.folder,
                              stdin=subprocess.DEVNULL, check=False)
        check(done.returncode == status, f"{verb} {words}: exit status {done.returncode}: {done.stderr}{done.stdout}")
        return done

    def result(self, *words):
        """The JSON of a quick trial of the program."""
        return json.loads(self.call("try", *QUICK, "--json", "-", *words, "--", *self.churn).stdout)

    def record(self):
        self.call("record", "-q", "--no-baseline", "-o", "churn.linn", "--", *self.churn)
        return "churn.linn"


def labels(result):
    return [candidate["label"] for candidate in result["candidates"]]


def rows(run):
    return {row["name"]: row for row in run["rows"]}


def case_usage(tool):
    for words, wanted in [
            ([], ["which program?"]),
            (["--"], ["which program?"]),
            (["trace.linn"], ["which program?", "-- PROG"]),
            (["--rounds", "0", "--", "ls"], ["--rounds"]),
            (["--client", "true", "--", "ls"], ["record the server first"]),
            (["nosuch.linn", "--", *tool.churn], ["nosuch.linn"]),
            (["--", "./nosuch"], ["nosuch"])]:
        done = tool.call("try", *words, status=2)
        check(done.stdout == "", f"{words}: a usage error wrote to standard output: {done.stdout}")
        for text in wanted:
            check(text in done.stderr, f"{words}: {text!r} is not in {done.stderr!r}")


def case_help(tool):
    text = prose(tool.call("try", "--help").stdout)
    for word in ("TRACE", "--type", "--plan", "--budget", "--rounds", "--json", "Examples:", "linn pools"):
        check(word in text, f"{word!r} is not in the help")
    check("linn try" in tool.call("--help").stdout, "linn --help does not name it")


def case_churn(tool):
    """Records, finds both types, serves nearly all of their blocks, compares the output in every run."""
    result = tool.result()
    check(result["schema"] == "linn.try/1" and result["trace"] is None and result["complete"], result)
    check(any("order" in label for label in labels(result)) and any("trade" in label for label in labels(result)),
          f"candidates are {labels(result)}")
    for candidate in result["candidates"]:
        check(candidate["routed"] is not None and candidate["routed"] >= 0.99, f"not all is served: {candidate}")
    check(list(rows(result["alone"]))[:2] == ["default", "default-again"], "no plain program, or no control")
    check({f"pools-{i + 1}" for i in range(len(labels(result)))} <= set(rows(result["alone"])), "a type was not tried alone")
    check({"default", "pools", "sizes", "lookup", "empty"} <= set(rows(result["together"])), "an arm is missing")
    for run in (result["alone"], result["together"]):
        check(run["outputs_compared"] and run["complete_rounds"] == 2, "outputs were not compared")
        for row in run["rows"]:
            check(row["failure"] is None and row["output_difference"] is None, row)
        sizes = {sum(len(v) + 9 for v in row["environment"]) + 2 * len(row["library"] or "") + bool(row["library"])
                 for row in run["rows"]}
        check(len(sizes) == 1, f"environments have several sizes: {sizes}")
    check("served" in tool.call("try", *QUICK, "--", *tool.churn).stdout, "the table does not say what was served")


def case_trace(tool):
    """With a trace nothing is recorded; one of another input is used, and says so."""
    trace = tool.record()
    done = tool.call("try", *QUICK, trace, "--", *tool.churn)
    check("recording" not in done.stderr, done.stderr)
    check("pools for" in done.stdout and "order" in done.stdout, done.stdout)
    other = tool.call("try", *QUICK, trace, "--", tool.churn[0], "20000")
    check("another input" in prose(other.stdout), f"nothing is said of the other input: {other.stdout}")


def case_type(tool):
    result = tool.result("--type", "trade")
    check(len(result["candidates"]) == 1 and "trade" in labels(result)[0], f"candidates are {labels(result)}")
    check(result["alone"] is None, "one type was measured twice")
    check(result["candidates"][0]["chosen"], "it was not chosen")
    done = tool.call("try", *QUICK, "--type", "nosuch", tool.record(), "--", *tool.churn, status=2)
    check("has 'nosuch' in its name" in done.stderr and done.stdout == "", f"{done}")
    short = json.loads(tool.call("try", "--budget", "1", "--warm-up", "0", "--json", "-", "--", *tool.churn).stdout)
    check(len(short["candidates"]) == 1 and short["alone"] is None, f"a budget of 1 s measures each alone: {labels(short)}")
    check(any("measured as one" in finding for finding in short["findings"]), short["findings"])


def case_plan(tool):
    """A plan is written where pools gain, as they do here; and it serves the program."""
    for _ in range(3):  # a busy machine hides even this
        done = tool.call("try", "--rounds", "12", "--warm-up", "0", "--plan", "churn.toml", "--type", "order", "--", *tool.churn[:1],
                         "400000")
        if os.path.exists(tool.folder / "churn.toml"):
            break
    else:
        skip(f"the machine is too busy: {done.stdout}")
    check("linn pools --plan churn.toml -- " in done.stderr, f"the next command is not said: {done.stderr}")
    check("Pools for " in done.stdout and " save " in done.stdout, done.stdout)
    tool.call("pools", "--plan", "churn.toml", "--stats", "stats.json", "--count", "--", *tool.churn)
    statistics = json.loads((tool.folder / "stats.json").read_text())
    check(statistics["problem"] is None and all(site["state"] == "active" for site in statistics["sites"]), statistics)
    check(sum(site["hits"] for site in statistics["sites"]) >= 0.99 * int(ROUNDS), statistics["sites"])


def case_refusals(tool):
    """What a preload cannot serve is refused with the reason, before anything is run."""
    for name in ("static", "sanitized"):
        if name in tool.programs:
            done = tool.call("try", *QUICK, "--", tool.programs[name], status=1)
            check(done.stdout == "" and tool.programs[name] in done.stderr, f"{name}: {done}")


def case_failing(tool):
    """A program that fails passes its status, recorded or not."""
    trace = tool.record()
    for words in ([], [trace]):
        done = tool.call("try", *QUICK, *words, "--", *tool.churn, "3", status=3)
        check(done.stdout == "" and "exit status 3" in done.stderr, f"{words}: {done}")
    ignored = tool.call("try", *QUICK, "--ignore-exit-status", trace, "--", *tool.churn, "3")
    check("pools for" in ignored.stdout, ignored.stdout)


def case_broken(tool):
    """What a preload breaks is named, and the plain program's figures are kept: a crash, and another output."""
    trace = tool.record()
    for how, words, wanted in [("crash", [], "killed by SIGABRT"), ("crash", ["--type", "order"], "do not work: killed by SIGABRT"),
                               ("print", ["--type", "order"], "do not work: the output differs (line 1 is 'LINN_PLAN'")]:
        done = tool.call("try", *QUICK, "--plan", "broken.toml", *words, trace, "--", *tool.churn, "0", how)
        text = prose(done.stdout)
        check(wanted in text, f"{how} {words}: {wanted!r} is not in {text}")
        check("the program runs without them" in text and "default (" in text, f"{how} {words}: {text}")
        check(not os.path.exists(tool.folder / "broken.toml"), "there is a plan of what does not work")


def case_both(tool):
    """The pools in front of the allocator that is best: in every run, that one is proven to get what they pass on."""
    result = tool.result()
    best = [row for row in rows(result["together"]).values() if row["library"] and not row["environment"][0].startswith("LINN_PLAN")]
    if not best:
        skip("no other allocator is here")
    check(result["further"] is not None, f"the pools were not tried in front of it: {result['findings']}")
    further = rows(result["further"])
    both, other = further["both"], list(further.values())[-1]
    check(other["library"] in {row["library"] for row in best}, f"rows are {list(further)}")
    check(both["behind"] == other["library"] and other["behind"] is None, f"{both['behind']} is behind, not {other['library']}")
    check(both["library"].endswith("liblinn-try.so") and both["providers"]["malloc"] == both["library"], both["providers"])
    check(both["failure"] is None and both["output_difference"] is None and len(both["samples"]) == 2, both)
    trace = tool.record()
    report = tool.call("try", *QUICK, "--type", "order", trace, "--", *tool.churn).stdout
    check("these pools over " in report and "over the best allocator" in report, report)
    short = json.loads(tool.call("try", "--budget", "1", "--warm-up", "0", "--json", "-", trace, "--", *tool.churn).stdout)
    check(short["further"] is None, "one second is enough")


def case_litter(tool):
    """With --litter the heap has holes when main begins, in every way to run the program, the same ones in all of a round; without it has none."""
    def holes(*words):
        file = tool.folder / "holes.txt"
        file.unlink(missing_ok=True)
        result = json.loads(tool.call("try", *QUICK, "--type", "node", "--json", "-", *words, "--", tool.programs["holes"],
                                      file).stdout)
        return result, [line.split(" ") for line in file.read_text().splitlines()]

    plain, lines = holes()
    check(plain["litter"] is None and all(line[2] == "none" for line in lines), f"litter that nobody asked for: {lines}")
    check(all(int(line[0]) <= 3 for line in lines if line[3] == "none" or "-probe.so" in line[3].split(":")[-1]),
          f"a fresh heap has holes: {lines}")

    result, lines = holes("--litter")
    litter = result["litter"]
    check(litter["blocks"] > 10_000 and abs(litter["freed"] / litter["blocks"] - 0.5) < 0.05, litter)
    check(litter["resident_bytes"] > 8 << 20 and litter["cpu_ns"] > 0, litter)
    check(any("littered heap" in finding for finding in result["findings"]), result["findings"])
    lines = [line for line in lines if line[2] != "none"]  # when it was recorded there was none
    glibc = [line for line in lines if line[3].split(":")[-1].endswith(("liblinn-probe.so", "liblinn-try.so"))]
    check(all(int(line[0]) >= 20 for line in glibc), f"a littered heap has no holes: {glibc}")
    seeds = {line[2] for line in lines} - {"0" * 10}
    check(len(seeds) == 2, f"two rounds have the seeds {seeds}")
    for seed in seeds:
        modes = {line[1] for line in lines if line[2] == seed}
        check({"none", "on", "sizes", "lookup", "empty"} <= modes, f"not every way is littered: {modes}")
        check(len({line[0] for line in glibc if line[2] == seed and line[1] == "none"}) == 1, f"one seed, several litters: {glibc}")
    memory = {row["name"]: row["estimates"]["peak_rss_bytes"]["median"] for row in result["together"]["rows"]}
    check(memory["default"] > litter["resident_bytes"], f"the litter is not in the peak: {memory}")


def case_variants(tool):
    """What the counts promise is measured beside the pools as they are: one pool for two types of one size, and address order."""
    def tried(*words):
        return json.loads(tool.call("try", *QUICK, "--json", "-", *words, "--", tool.programs["holes"], "holes.txt").stdout)

    result = tried("--type", "node", "--type", "edge")
    names = [variant["row"] for variant in result["variants"]]
    check(names == ["one-pool-a-size", "by-address"], f"variants are {result['variants']}")
    for variant in result["variants"]:
        check("node" in variant["why"] and "edge" in variant["why"], variant)
    further = rows(result["further"])
    check({"default", "default-again", "pools", *names} <= set(further), f"rows are {list(further)}")
    for name in names:
        check(further[name]["failure"] is None and further[name]["output_difference"] is None, further[name])
    check(result["plan_variant"] is None, "two rounds say nothing")
    one = tried("--type", "node")
    check([variant["row"] for variant in one["variants"]] == ["by-address"], f"variants of one type: {one['variants']}")
    few = tool.result("--type", "xmalloc")
    check(few["variants"] == [], f"200 objects have variants: {few['variants']}")


def case_stranger(tool):
    """A trace of another program leaves nothing to try, and says so."""
    trace = tool.record()
    done = tool.call("try", *QUICK, "--json", "-", trace, "--", "/bin/true")
    result = json.loads(done.stdout)
    check(result["candidates"] == [] and result["answer"] == "not-known", result)
    check(all(left["reason"] == "no call of this run came from its sites" for left in result["left_out"]), result["left_out"])
    check(result["plan"] is None, "there is a plan of nothing")


if __name__ == "__main__":
    main(globals(), Tool, lists=["program"])
