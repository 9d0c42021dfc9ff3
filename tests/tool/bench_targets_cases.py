# SPDX-License-Identifier: Apache-2.0
"""The scenarios by which Linn's targets are measured, and what bench/targets.py makes of them."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from bench_cases import check_scenario
from cases import Tool, check  # noqa: F401 (the fixture takes Tool from here)

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "targets.py"
TARGETS = tomllib.loads(SCRIPT.with_suffix(".toml").read_text())
LIVE = ["1", "8", "100", "1000", "10000", "100000", "1000000"]


def measured(tool, names, only):
    """The JSON of one round with the least work."""
    done = tool.call("bench", *names, "--only", only, "--rounds", "1", "--work", "1", "--json", "-", status=0)
    return json.loads(done.stdout)


def verdicts(*results):
    """What the script says of such files."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, str(number)) for number in range(len(results))]
        for path, result in zip(files, results):
            path.write_text(json.dumps(result))
        done = subprocess.run([sys.executable, SCRIPT, *files], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    return done.stdout


def scenarios(tool, *names):
    """Runs them: every variant has every phase, and every target of theirs is judged. Returns the rows by variant."""
    result = measured(tool, names, "linn,free-list,floor,mmap,pmr-unsynchronized,pmr-synchronized")
    check({s["name"] for s in result["scenarios"]} == set(names), [s["name"] for s in result["scenarios"]])
    check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])
    text = verdicts(result)
    found = {}
    for scenario in result["scenarios"]:
        name = scenario["name"]
        rows = {variant: row for (variant, contender), row in check_scenario(result, scenario, rounds=1).items()
                if contender != "glibc-again"}
        judged = re.findall(rf"^(?:PASS|MISS)  \S+ +{name}: ", text, re.M)
        check(len(judged) == len(TARGETS[name]["targets"]), f"{name}: {text}")
        found[name] = rows
    return found


def case_pairs(tool):
    scenarios(tool, "pairs", "pairs-shared", "scattered")


def case_live_sets(tool):
    scenarios(tool, "live-sets", "reuse", "recycled")


def case_containers(tool):
    row = scenarios(tool, "containers-shuffled")["containers-shuffled"]["linn"]
    check(row["peak_rss_bytes"] > 1 << 20, "the peak of the containers' processes")


def case_blocks(tool):
    scenarios(tool, "pmr-blocks", "pmr")


def case_buffers(tool):
    row = scenarios(tool, "buffers-held", "buffers")["buffers-held"]["linn_buffer_pool"]
    check(row["phases"]["four_filled_8m"]["page_faults"] == 0, "faults on reuse")


def case_packets(tool):
    scenarios(tool, "shared-ptr", "pipeline")


def case_footprint(tool):
    found = scenarios(tool, "footprint")["footprint"]
    for row in found.values():
        check(row["phases"]["live"]["metrics"]["of_payload"] >= 1, row)
    pool = {name: phase["metrics"]["anonymous_bytes"] for name, phase in found["linn_pool"]["phases"].items()}
    check(pool["trimmed"] < pool["freed"] / 4, f"trim() keeps {pool}")


def case_scaling(tool):
    for phase in scenarios(tool, "scaling")["scaling"]["linn_pool"]["phases"].values():
        check(set(phase["metrics"]) == {"depot_visits", "contended"}, phase)


def case_verdicts():
    """The best rival counts, on its best allocator, in the worst phase; what was not measured is no verdict."""
    def row(variant, contender, ns):
        phases = {name: {"ns": {"minimum": ns}, "page_faults": 0} for name in LIVE}
        return {"variant": variant, "contender": contender, "phases": phases}

    pairs = {"name": "pairs", "phases": [{"name": name} for name in LIVE],
             "rows": [row("linn_pool", "linn", 2), row("array", "floor", 1.8), row("new_delete", "glibc", 9),
                                       row("new_delete", "tcmalloc", 5), row("new_delete", "glibc-again", 1)]}
    pairs["rows"][0]["phases"]["1000000"]["ns"]["minimum"] = 3
    text = verdicts({"scenarios": [pairs]})
    for line in ("PASS  1   pairs: the hot pair: at most 1.15 x the floor: worst 1.11 (1, floor)",
                 "MISS  1   pairs: 8 to 1000 live: at least 3 x the best allocator: worst 2.5 (100, tcmalloc)",
                 "MISS  1   pairs: flat from 8 to a million live, within 1.3 x: 1.50, from 100 to 1000000"):
        check(line in text.splitlines(), text)
    check(re.search(r"^not measured: \d+ of \d+ targets, of live-sets, reuse, pairs-shared, ", text, re.M), text)
