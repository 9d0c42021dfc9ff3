# SPDX-License-Identifier: Apache-2.0
"""Runs `linn compare` on results made here, so the same in every run."""
import copy
import json
import random
import re

import cases
from cases import check


def bench(factors=None, rounds=10, seed=1, cpu="CPU A", machine=1.0, **options):
    """A result of linn bench; `factors` multiplies the samples of (scenario, contender), `machine` all of them."""
    rng = random.Random(seed)

    def row(scenario, contender, variant, phases, base):
        factor = (factors or {}).get((scenario, contender), 1) * machine
        figures = {}
        for i, phase in enumerate(phases):
            samples = [base * (i + 1) * factor * (1 + 0.01 * rng.random()) for _ in range(rounds)]
            figures[phase] = {"cycles": {"median": 0, "minimum": 0, "samples": samples}}
        return {"contender": contender, "variant": variant, "rounds": rounds, "phases": figures}

    def scenario(name, variant, phases):
        contenders = {"glibc": 100, "glibc-again": 100, "jemalloc": 70, "linn": 20}
        own = {"linn": "linn"} if variant == "general" else {}
        return {"name": name, "baseline": variant,
                "rows": [row(name, c, own.get(c, variant), phases, b) for c, b in contenders.items()],
                "noise_floor": {phase: 0.01 for phase in phases}}

    return {"schema": "linn.bench/2", "version": "0.1.0", "started": "2026-01-01T00:00:00Z", "complete": True,
            "options": {"rounds": rounds, "container": "map", "work": 100, **options},
            "machine": {"cpu": cpu, "cpus": 2, "kernel": "Linux 6", "cycles_per_ns": 2.5, "counter": "tsc"},
            "scenarios": [scenario("object", "general", ["first", "many"]),
                          scenario("pipeline", "make_shared", ["flat_out"])]}


def run(factors=None, rounds=12, seed=1, cpu="CPU A", program="/usr/bin/prog", machine=1.0):
    """A result of linn run; `factors` multiplies the values of (contender, metric)."""
    rng = random.Random(seed)
    bases = {"wall_ns": 1e8, "peak_rss_bytes": 5e6}

    def row(name):
        samples = [{"round": r, "values": {m: b * machine * (factors or {}).get((name, m), 1) * (1 + 0.01 * rng.random())
                                           for m, b in bases.items()} | {"major_faults": 0}}
                   for r in range(rounds)]
        return {"name": name, "failure": None, "samples": samples}

    return {"schema": "linn.run/2", "version": "0.1.0", "started": "2026-01-01T00:00:00Z", "complete": True,
            "program": {"path": program, "arguments": ["prog", "-x"]}, "options": {"input": None, "prepare": None},
            "machine": {"cpu": cpu, "cpus": 2}, "noise": {"wall_ns": {"floor": 0.02}},
            "metrics": [{"name": "wall_ns", "unit": "ns", "compared": True},
                        {"name": "peak_rss_bytes", "unit": "bytes", "compared": True},
                        {"name": "major_faults", "unit": "count", "compared": False}],
            "rows": [row(name) for name in ("default", "default-again", "jemalloc", "tcmalloc")]}


class Tool(cases.Tool):
    def file(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return str(path)

    def compare(self, old, new, *arguments, status=0):
        return self.call("compare", self.file("old.json", old), self.file("new.json", new), *arguments, status=status)

    def result(self, old, new, *arguments, status=0, lacks=None):
        return cases.result_of(self.compare(old, new, "--json", "-", *arguments, status=status).stdout, lacks)


def verdicts(result):
    return {(r["scenario"], r["contender"], r["measure"]): r["verdict"] for r in result["rows"]}


def case_no_change(tool):
    done = tool.compare(bench(seed=1), bench(seed=2))
    check(done.stdout.startswith("No regressions in 9 rows."), done.stdout)
    check("warning" not in done.stdout and done.stderr == "", done.stdout)


def case_regression(tool):
    old, new = bench(seed=1), bench({("pipeline", "linn"): 1.2, ("object", "jemalloc"): 0.8}, seed=2)
    done = tool.compare(old, new, status=1)
    text = " ".join(done.stdout.split())
    check(re.match(r"1 regression in 9 rows; the worst is pipeline, make_shared on linn, flat_out: \+(19|20)\.\d %", text), text)
    check("2 improvements" in " ".join(done.stdout.split()), done.stdout)
    result = tool.result(old, new, status=1)
    found = verdicts(result)
    check(found.pop(("pipeline", "linn", "flat_out")) == "regression", result)
    check({k for k, v in found.items() if v == "improvement"} ==
          {("object", "jemalloc", "first"), ("object", "jemalloc", "many")}, result)
    row = next(r for r in result["rows"] if r["verdict"] == "regression")
    check(row["change_low"] < row["change"] < row["change_high"] and 0.18 < row["change"] < 0.22, row)
    check(row["p_adjusted"] < 0.05 and row["unit"] == "ns", row)


def case_threshold(tool):
    old, new = bench(seed=1), bench({("object", "linn"): 1.04}, seed=2)
    tool.compare(old, new)
    tool.compare(old, new, "--threshold", "2", status=1)
    new["scenarios"][0]["noise_floor"] = {"first": 0.1, "many": 0.1}  # beyond what the file itself calls noise
    tool.compare(old, new, "--threshold", "2")


def case_chance_is_no_change(tool):
    old, new = bench(rounds=10, seed=1), bench(rounds=10, seed=2)
    rng = random.Random(3)
    for result in (old, new):  # ± 40 %: medians differ by more than the threshold somewhere, but not significantly
        for scenario in result["scenarios"]:
            for row in scenario["rows"]:
                for phase in row["phases"].values():
                    phase["cycles"]["samples"] = [100 * (0.6 + 0.8 * rng.random()) for _ in range(10)]
    result = tool.result(old, new)
    check(any(abs(r["change"]) > 0.05 for r in result["rows"]), "the case tests nothing")


def case_fail_on(tool):
    better = bench({("object", "linn"): 0.5}, seed=2)
    worse = bench({("object", "linn"): 2}, seed=2)
    old = bench(seed=1)
    tool.compare(old, better)
    tool.compare(old, better, "--fail-on", "any", status=1)
    tool.compare(old, worse, "--fail-on", "any", status=1)


def case_other_machine(tool):
    old = bench(seed=1)
    slower = bench(seed=2, cpu="CPU B", machine=1.5)
    done = tool.compare(old, slower)
    text = " ".join(done.stdout.split())
    check("the machines differ in cpu (CPU A and CPU B); compared: ratios to glibc of the same file" in text, text)
    check(tool.result(old, slower)["by"] == "ratio", "ratio")
    tool.compare(old, slower, "--by", "absolute", status=1)
    tool.compare(old, bench({("object", "linn"): 1.3}, seed=2, cpu="CPU B", machine=0.5), status=1)
    same = tool.compare(old, bench(seed=2, machine=1.5), status=1)  # one machine: values, and a hint
    check("glibc itself changed" in " ".join(same.stdout.split()), same.stdout)
    tool.compare(old, bench(seed=2, machine=1.5), "--by", "ratio")


def case_run(tool):
    old = run(seed=1)
    check(verdicts(tool.result(old, run(seed=2)))[(None, "jemalloc", "wall_ns")] == "unchanged", "run")
    new = run({("jemalloc", "wall_ns"): 1.1, ("tcmalloc", "peak_rss_bytes"): 0.5}, seed=2, program="/opt/new/prog")
    result = tool.result(old, new, status=1)
    check(verdicts(result) == {(None, "default", "wall_ns"): "unchanged", (None, "default", "peak_rss_bytes"): "unchanged",
                               (None, "jemalloc", "wall_ns"): "regression",
                               (None, "jemalloc", "peak_rss_bytes"): "unchanged",
                               (None, "tcmalloc", "wall_ns"): "unchanged",
                               (None, "tcmalloc", "peak_rss_bytes"): "improvement"}, result)
    tool.compare(old, new, "--metric", "peak_rss_bytes")
    tool.compare(old, new, "--only", "tcmalloc")
    new["program"]["arguments"] = ["prog", "-y"]
    done = tool.compare(old, new, status=2)
    check("measured different things: program" in done.stderr and "prog -y" in done.stderr, done.stderr)


def case_rows_come_and_go(tool):
    old, new = bench(seed=1), bench(seed=2)
    del old["scenarios"][0]["rows"][2]
    del new["scenarios"][1]["rows"][3]
    done = tool.compare(old, new)
    check("gone: pipeline, make_shared on linn, flat_out" in done.stdout, done.stdout)
    check(all(f"new: object, general on jemalloc, {p}" in done.stdout for p in ("first", "many")), done.stdout)
    result = tool.result(old, new, "--fail-on", "any", status=1)
    check(len(result["appeared"]) == 2 and len(result["vanished"]) == 1, result)


def case_too_few_rounds(tool):
    done = tool.compare(bench(rounds=3), bench({("object", "linn"): 3}, rounds=3, seed=2), status=2)
    check(done.stdout.startswith("Nothing can be said") and re.search(r"use\s+--rounds\s+\d+", done.stdout), done.stdout)


def case_warnings(tool):
    old, new = bench(seed=1), bench(seed=2)
    new["complete"] = False
    new["machine"]["kernel"] = "Linux 7"
    text = " ".join(tool.compare(old, new).stdout.split())
    check("new.json is partial" in text and "kernel differs: Linux 6 and Linux 7" in text, text)


def case_not_comparable(tool):
    done = tool.compare(bench(), bench(container="list", work=50), status=2)
    check("different things: container (map and list), work (100 and 50)" in done.stderr and done.stdout == "", done.stderr)
    done = tool.compare(bench(), run(), status=2)
    check("linn.bench/2" in done.stderr and "linn.run/2" in done.stderr, done.stderr)


def case_bad_files(tool):
    good = bench()
    text = json.dumps(good, indent=1)

    def broken(change):
        other = copy.deepcopy(good)
        change(other)
        return other

    def samples(value):
        return broken(lambda r: r["scenarios"][1]["rows"][0]["phases"]["flat_out"]["cycles"].update(samples=value))
    for name, content, wanted in [
            ("empty", "", "it is not valid JSON"),
            ("line", '{\n"schema": oops', "it is not valid JSON: parse error at line 2"),
            ("cut off", text[:len(text) // 2], "it is not valid JSON"),
            ("bad UTF-8", b'{"schema": "\xff"}', "it is not valid JSON"),
            ("array", [], 'it has no "schema"'),
            ("foreign", {"a": 1}, 'it has no "schema"'),
            ("hyperfine", {"schema": 5}, "it is not what linn wrote: type must be string, but is number"),
            ("other schema", {"schema": "linn.compare/1"}, 'its schema is "linn.compare/1"'),
            ("another version", broken(lambda r: r.update(schema="linn.bench/3")), 'its schema is "linn.bench/3"; compare reads'),
            ("no rows", broken(lambda r: r["scenarios"][0].pop("rows")), "key 'rows' not found; measure again"),
            ("no scenario", broken(lambda r: r.update(scenarios=[])), "it holds no measurement"),
            ("rate", broken(lambda r: r["machine"].update(cycles_per_ns=0)), "missing, negative or not finite"),
            ("text", samples([1, "2"]), "type must be number, but is string"),
            ("none", samples([]), "the samples of flat_out of glibc are missing, negative or not finite"),
            ("negative", samples([1, -2]), "missing, negative or not finite"),
            ("huge", text.replace("100", "1e999", 1), "number overflow"),
            ("twice", broken(lambda r: r["scenarios"].append(r["scenarios"][0])), "two rows of the same name")]:
        path = tool.file("bad.json", content)
        done = tool.call("compare", tool.file("good.json", good), path)
        check(done.returncode == 2 and done.stdout == "", f"{name}: exit status {done.returncode}: {done.stdout}")
        check(path in done.stderr and wanted in done.stderr, f"{name}: {wanted!r} is not in {done.stderr!r}")
    missing = str(tool.folder / "missing.json")
    done = tool.call("compare", missing, tool.folder)
    check(done.returncode == 2, f"exit status {done.returncode}")
    check(f"cannot use {missing}: No such file or directory" in done.stderr, done.stderr)


def case_usage(tool):
    good = tool.file("good.json", bench())
    tool.refuses(["compare"], [
        ([], "OLD"), ([good], "NEW"),
        ([good, good, "--only", "lin"], "did you mean 'linn'"),
        ([good, good, "--scenario", "pipelin"], "did you mean 'pipeline'"),
        ([good, good, "--metric", "nosuch"], "flat_out"),
        ([good, good, "--json", "/nonexistent/x.json"], "cannot write /nonexistent/x.json")])


def case_reports(tool):
    old, new = bench(seed=1), bench({("pipeline", "linn"): 1.2}, seed=2)
    markdown = tool.folder / "change.md"
    tool.compare(old, new, "--markdown", str(markdown), status=1)
    lines = markdown.read_text().splitlines()
    check(lines[0].startswith("**1 regression in 9 rows"), lines[0])
    check("### Regressions" in lines and any(line.startswith("| pipeline, make\\_shared on linn") for line in lines), lines)
    tool.result(old, new, status=1, lacks=())
