# SPDX-License-Identifier: Apache-2.0
"""Runs `linn bench` as a user would and checks what it says and does."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import cases
from cases import check, processes_with, prose, skip_if_sanitized, wait_for

SMALL = ["--rounds", "2", "--work", "1"]
THREAD_PROGRAMS = ["larson", "mstress", "rptest", "xmalloc-test", "sh6bench", "sh8bench", "alloc-test", "cache-scratch",
                   "glibc-thread"]
HEADLINE = ["hot", "million", "shared_hot", "shared_burst", "set", "reuse", "buffer_shared", "buffer_new", "two_hot",
            "two_remote", "two_burst", "two_set"]
CPUS = len(os.sched_getaffinity(0))
THREADS = [1 << log2 for log2 in range(20) if 1 << log2 <= 2 * CPUS]
SERVED = {  # the sizes that a way of Linn's has; others are absent
    "linn_pool_resource": lambda size: size <= 128 << 10,
    "linn_buffer_pool": lambda size: size >= 64 << 10,
}


class Tool(cases.Tool):
    def bench(self, *arguments, **more):
        return self.call("bench", *SMALL, *arguments, **more)

    def result(self, *arguments, status=0, lacks=None, **more):
        """The JSON of a small run."""
        return cases.result_of(self.bench("--json", "-", *arguments, status=status, **more).stdout, lacks)


def reasons(result):
    return {(entry["name"], entry["scenario"]): entry["reason"] for entry in result["left_out"]}


def case_usage_errors(tool):
    tool.refuses([], [
            (["bench", "nosuch"], ["nosuch", "object", "containers"]),
            (["bench", "objcet"], ["did you mean 'object'"]),
            (["bench", "thread"], ["did you mean 'threads'"]),
            (["bench", "--work", "many"], ["--work must be a whole number from 1 to 1000, not 'many'"]),
            (["bench", "--pin", "x"], ["--pin", "number of a CPU"]),
            (["bench", "--pin", "99999"], ["may not run on CPU 99999"]),
            (["bench", "--allocators", "linn"], ["unknown general allocator 'linn'"]),
            (["bench", "--container", "deque"], ["--container must be one of unordered_set, map, set, list, not 'deque'"]),
            (["bench", "--allocator", "linn=/lib/x.so"], ["linn"]),
            (["bench", "--allocator", "locked-pool=/lib/x.so"], ["cannot replace 'locked-pool'"]),
            (["bench", "--only", "jemaloc"], ["did you mean 'jemalloc'"])])


def case_wrong_library(tool):
    done = tool.bench("object", "--allocator", f"wrong={tool.libraries['inert']}")
    check(done.returncode == 2 and done.stdout == "", f"exit status {done.returncode}: {done.stdout}")
    left = tool.bench("object", "--only", "linn", "--allocator", f"other={tool.libraries['malloc_only']}", status=2)
    check("leaves out other" in left.stderr and left.stdout == "", left.stderr)
    check("--allocator wrong: " in done.stderr and "preload did not take effect: malloc is provided by /" in done.stderr, done.stderr)


def case_hanging_library(tool):
    result = tool.result("object", "--only", "slow,linn", "--timeout", "2",
                         "--allocator", f"slow={tool.libraries['hanging']}")
    check(reasons(result)["slow", "object"].startswith("timed out after 2 s"), result["left_out"])
    check(len(result["scenarios"][0]["rows"]) == 3, "the others did not go on")


def case_json_schema(tool):
    result = tool.result("object", "containers", "--seed", "7", lacks={"metrics"})
    check(result["complete"] is True and result["complete_rounds"] == 2, "not complete")
    check(result["options"]["seed"] == 7, result["options"])
    for key in ("cpu", "cpus", "kernel", "transparent_huge_pages", "compiler", "build", "counter", "cycles_per_ns"):
        check(result["machine"][key], f"machine.{key} is empty")
    check(result["machine"]["build"] == "optimised", "the worker is not optimised")
    contenders = {c["name"]: c for c in result["contenders"]}
    check({"glibc", "glibc-again", "pmr-unsynchronized", "pmr-synchronized", "boost-singleton-pool",
           "lecture-pool", "linn"} <= set(contenders), sorted(contenders))
    for name, contender in contenders.items():
        providers = contender["proof"]["providers"]
        check(set(providers) == {"malloc", "free", "operator new", "operator delete", "sized operator delete"},
              f"{name}: {providers}")
        if contender["kind"] == "preload":
            check(contender["proof"]["preload_mapped"] and providers["malloc"] == contender["library"], contender)
        else:
            check(contender["library"] is None and "libc" in providers["malloc"], contender)
    check([s["name"] for s in result["scenarios"]] == ["object", "containers"], "scenarios")
    for scenario in result["scenarios"]:
        check({row["contender"] for row in scenario["rows"]} == set(contenders), "a contender has no row")
        for row in check_scenario(result, scenario).values():
            for phase in row["phases"].values():
                samples = phase["cycles"]["samples"]
                check(len(samples) == 2 and all(s > 0 for s in samples), samples)
                check(phase["cycles"]["minimum"] == min(samples), "minimum")
                check(abs(phase["cycles"]["median"] - sum(samples) / 2) < 1e-6, "median")
                check(phase["ns"]["low"] is None and phase["cycles"]["high"] is None, "an interval of two rounds")
            check(row["peak_rss_bytes"] > 1 << 20, "peak_rss_bytes")
        check(list(scenario["noise_floor"]) == names_of(scenario["phases"]), "noise_floor")


def names_of(parts):
    return [part["name"] for part in parts]


def check_rows(scenario, kinds):
    """Every variant runs on the pool that it names, or on each general allocator; the baseline on the second copy of glibc too."""
    general = [c for c, kind in kinds.items() if kind != "in-process" and c != "glibc-again"]
    wanted = {(v["name"], c) for v in scenario["variants"] for c in ([v["contender"]] if v["contender"] else general) if c in kinds}
    wanted.add((scenario["baseline"], "glibc-again"))
    rows = {(row["variant"], row["contender"]): row for row in scenario["rows"]}
    check(set(rows) == wanted, set(rows) ^ wanted)
    return rows


def check_scenario(result, scenario, rounds=2):
    """Every row has all rounds of every phase but those that its variant does not have, and nothing is judged. Returns the rows."""
    name, rows = scenario["name"], check_rows(scenario, {c["name"]: c["kind"] for c in result["contenders"]})
    for key, row in rows.items():
        check(row["rounds"] == rounds, f"{key}: {row['rounds']} rounds")
        check(list(row["phases"]) == names_of(scenario["phases"]), list(row["phases"]))
        for phase_name, phase in row["phases"].items():
            if name == "sizes" and key[0] in SERVED:
                served = SERVED[key[0]](int(phase_name.removesuffix("_two")))
                check(served == (phase is not None), f"{key}, {phase_name}: {phase}")
            if phase is None and name == "sizes":
                check(key[0] in SERVED, f"{key} has no {phase_name}")
            elif phase is None:
                check(key[0] == "linn_buffer_pool" and phase_name.startswith("small"), f"{key} has no {phase_name}")
            else:
                check(phase["ns"]["median"] > 0 and phase["page_faults"] >= 0, f"{key}: {phase}")
    check([v["name"] for v in scenario["variants"]][0] == scenario["baseline"], scenario["variants"])
    for comparison in scenario["comparisons"]:
        check(set(comparison["phases"]) <= set(names_of(scenario["phases"])), comparison)
        check(comparison["phases"] or not set(comparison["rivals"]) & {variant for variant, _ in rows}, comparison)
        for phase in comparison["phases"].values():
            check(phase["speed_up"] > 0 and phase["best_other_variant"] in comparison["rivals"], phase)
    check(all(p["outcome"] is None for comparison in scenario["comparisons"] for p in comparison["phases"].values()),
          "two rounds judged")
    return rows


def variant_scenario(tool, name, *arguments):
    """Runs one scenario, a few rounds small, and checks the shape of its JSON."""
    result = tool.result(name, *arguments)
    check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])
    check(result["findings"][0].startswith("2 rounds are too few to tell a difference from noise (6 needed)"), result["findings"])
    check(result["options"]["work"] == 1, result["options"])
    (scenario,) = result["scenarios"]
    return check_scenario(result, scenario)


def case_zero_fill(tool):
    rows = variant_scenario(tool, "zero-fill", "--only", "linn")
    faults = rows["linn_buffer_pool", "linn"]["phases"]["line_memset"]["page_faults"]
    check(faults == 0, f"{faults} page faults on reuse of a buffer")


def case_pipeline(tool):
    rows = variant_scenario(tool, "pipeline")
    for row in rows.values():
        for phase in row["phases"].values():
            check(set(phase["metrics"]) == {"receiver_idle", "worker_idle"}, phase)
            check(all(0 <= share <= 1 for share in phase["metrics"].values()), phase)


def case_buffers(tool):
    rows = variant_scenario(tool, "buffers", "--only", "linn,mmap,glibc-no-trim")
    for variant in ("linn_buffer_pool", "linn_buffer_pool_shared"):
        for name, phase in rows[variant, "linn"]["phases"].items():
            check(phase["page_faults"] == 0, f"{variant}, {name}: {phase['page_faults']} page faults on reuse")
    check(rows["mmap", "mmap"]["phases"]["8m_filled"]["page_faults"] > 1, "mmap does not fault")


def case_reuse(tool):
    rows = variant_scenario(tool, "reuse")
    for key, row in rows.items():
        for structure in {name.rpartition("_")[0] for name in row["phases"]}:
            build, walk, free, total = (row["phases"][f"{structure}_{step}"]["cycles"]["samples"]
                                        for step in ("build", "walk", "free", "sum"))
            for b, w, f, t in zip(build, walk, free, total):
                check(abs(b + w + f - t) <= 1e-6 * t, f"{key}, {structure}: {b} + {w} + {f} is not {t}")


def case_sizes(tool):
    result = tool.result("sizes", "--only", "linn")
    (scenario,) = result["scenarios"]
    check_scenario(result, scenario)
    check([p["bytes"] for p in scenario["phases"][:20]] == [1 << log2 for log2 in range(20)], scenario["phases"])
    check({p["threads"] for p in scenario["phases"][20:]} == {2}, scenario["phases"])


def case_threads(tool):
    """The group runs where it is named, all programs or one; each phase has its own memory."""
    result = tool.result("threads", "--only", "linn", "--rounds", "1")
    check([s["name"] for s in result["scenarios"]] == THREAD_PROGRAMS, [s["name"] for s in result["scenarios"]])
    check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])
    for scenario in result["scenarios"]:
        check(scenario["group"] == "threads" and scenario["baseline"] == "new_delete", scenario["group"])
        check([p["name"] for p in scenario["phases"]] == [str(n) for n in THREADS], scenario["phases"])
        rows = {(row["variant"], row["contender"]): row for row in scenario["rows"]}
        check(set(rows) == {("new_delete", "glibc"), ("new_delete", "glibc-again"), ("linn_pool", "linn"),
                            ("linn_pool_resource", "linn")}, set(rows))
        for row in rows.values():
            for phase in row["phases"].values():
                metrics = phase["metrics"]
                check(metrics["peak_rss_bytes"] > 1 << 20, metrics)
                check(metrics["peak_rss_bytes"] <= row["peak_rss_bytes"], f"{metrics} {row['peak_rss_bytes']}")
    done = tool.bench("rptest", "--only", "linn", "--rounds", "1", env={"COLUMNS": "100"})
    check(done.returncode == 0 and "\nrptest\n" in done.stdout and "larson" not in done.stdout, done.stdout)
    check("2 threads" in done.stdout and "MiB" in done.stdout, done.stdout)


def case_budget(tool):
    """A budget ends a run between two rounds; each row then has as many samples as any other."""
    done = tool.bench("object", "pmr", "--only", "linn", "--rounds", "1000", "--budget", "1", "--json", "-")
    result = json.loads(done.stdout)
    check(result["complete"] is True and result["budget_spent"] is True, "the budget did not end it")
    check(2 <= result["complete_rounds"] < 1000, result["complete_rounds"])
    for scenario in result["scenarios"]:
        for row in scenario["rows"]:
            check(row["rounds"] == result["complete_rounds"], f"{row['rounds']} of {result['complete_rounds']} rounds")
    check(result["options"]["budget_s"] == 1 and result["options"]["mode"] == "quick", result["options"])
    done = tool.bench("object", "--only", "linn", "--rounds", "1000", "--budget", "1")
    check(re.search(r"quick: \d+ of 1000 rounds fitted in 1 s", prose(done.stdout)), done.stdout)


def case_modes(tool):
    """Quick is the default; --full has all the work, a round that warms up and no budget."""
    small = ["bench", "object", "--only", "linn", "--json", "-"]
    quick = json.loads(tool.call(*small).stdout)["options"]
    wanted = {"mode": "quick", "rounds": 10, "warm_up_rounds": 0, "work": 25, "budget_s": 240}
    check({key: quick[key] for key in wanted} == wanted, quick)
    full = json.loads(tool.call(*small, "--full").stdout)
    wanted = {"mode": "full", "rounds": 10, "warm_up_rounds": 1, "work": 100, "budget_s": None}
    check({key: full["options"][key] for key in wanted} == wanted, full["options"])
    check(full["complete_rounds"] == 10 and full["budget_spent"] is False, full["complete_rounds"])


def case_chosen(tool):
    """--allocators leaves the pools alone."""
    mine = os.path.realpath(tool.libraries["malloc_only"])
    result = tool.result("object", "--allocators", "mine", "--allocator", f"mine={mine}")
    names = {c["name"] for c in result["contenders"]}
    check(names == {"glibc", "glibc-again", "mine", "pmr-unsynchronized", "pmr-synchronized", "boost-singleton-pool",
                    "lecture-pool", "linn"}, names)
    check(result["left_out"] == [], result["left_out"])
    result = tool.result("object", "--allocators", "glibc", "--only", "linn,jemalloc")
    check({c["name"] for c in result["contenders"]} == {"glibc", "glibc-again", "linn"}, result["contenders"])
    # An option takes one word; the next one is a scenario.
    for option in (["--only", "linn,glibc"], ["--allocators", "glibc"], ["--allocator", f"mine={mine}"]):
        result = tool.result(*option, "object")
        check([s["name"] for s in result["scenarios"]] == ["object"], [s["name"] for s in result["scenarios"]])


def case_only(tool):
    """Names choose contenders; glibc and its copy always take part, others only where asked."""
    result = tool.result("shared-ptr", "--only", "spin-pool")
    names = {row["contender"] for row in result["scenarios"][0]["rows"]}
    check(names == {"glibc", "glibc-again", "spin-pool"}, names)
    check(result["findings"][0] == "Linn was not measured.", result["findings"])
    result = tool.result("object", "--only", "linn,locked-pool,glibc-no-trim")
    names = {c["name"] for c in result["contenders"]}
    check(names == {"glibc", "glibc-again", "linn", "glibc-no-trim"}, f"contenders without a row: {names}")


def case_crash_in_a_variant(tool):
    result = tool.result("shared-ptr", "--only", "bad,linn", "--allocator", f"bad={tool.libraries['crashing']}")
    entries = {e["variant"]: e for e in result["left_out"] if e["name"] == "bad"}
    general = {v["name"] for v in result["scenarios"][0]["variants"] if not v["contender"]}
    check(set(entries) == general and len(general) == 4, result["left_out"])
    for entry in entries.values():
        check(entry["scenario"] == "shared-ptr" and entry["reason"].startswith("killed by SIGABRT"), entry)
    names = {row["contender"] for row in result["scenarios"][0]["rows"]}
    check(names == {"glibc", "glibc-again", "linn"}, f"the others did not go on: {names}")
    tool.bench("object", "--only", "bad", "--allocator", f"bad={tool.libraries['crashing']}", status=1)  # nothing to compare


def case_json_only_on_stdout(tool):
    done = tool.bench("object", "--only", "linn", "--json", "-")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    json.loads(done.stdout)
    done = tool.bench("object", "--only", "linn", "--json", "result.json")
    check("x glibc" in done.stdout, "no table with --json FILE")
    check(json.loads((tool.folder / "result.json").read_text())["schema"] == "linn.bench/2", "file")
    check(os.listdir(tool.folder) == ["result.json"], f"left behind: {os.listdir(tool.folder)}")


FORMS = ["json", "csv", "markdown", "html"]


def case_report_files(tool):
    """Every form is written whole or not at all; one that fails stops no other, and none waits for standard output."""
    small = ["object", "--only", "linn", "--rounds", "1"]
    folder = tool.folder / "reports"
    folder.mkdir()
    files = [word for form in FORMS for word in (f"--{form}", str(folder / form))]
    done = tool.bench("zero-fill", *small[1:], *files)
    check(done.returncode == 0 and sorted(os.listdir(folder)) == sorted(FORMS), f"{done.stderr}{os.listdir(folder)}")
    (scenario,) = json.loads((folder / "json").read_text())["scenarios"]
    measured = [(row["variant"], row["contender"], name, phase["ns"]["median"]) for row in scenario["rows"]
                for name, phase in row["phases"].items() if phase is not None]  # the buffers have not all
    rows = cases.csv_of(folder / "csv", "bench")
    check([(row["variant"], row["contender"], row["phase"], float(row["ns_median"])) for row in rows] == measured, rows)
    # A disk that is full: no file of the tool may grow at all.
    for form in FORMS:
        (folder / form).write_text("older")
    done = subprocess.run(["bash", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "bash", tool.linn, "bench", *small,
                           *files], capture_output=True, text=True, timeout=100)
    check(done.returncode == 1, f"exit status {done.returncode}")
    for form in FORMS:
        check(f"cannot write {folder / form}: File too large" in done.stderr, done.stderr)
        check((folder / form).read_text() == "older", f"half of {form} was written")
    check(sorted(os.listdir(folder)) == sorted(FORMS), f"left behind: {os.listdir(folder)}")
    check("x glibc" in done.stdout, "the table is lost too")
    # One that cannot be written does not stop the others.
    done = tool.bench(*small, "--json", str(folder / "json"), "--csv", "/dev/full")
    check(done.returncode == 1 and "cannot write /dev/full: No space left" in done.stderr, done.stderr)
    json.loads((folder / "json").read_text())
    # The table cannot be printed: the files are there all the same.
    for closed in ('exec "$@" >/dev/full', 'set -o pipefail; "$@" | true', 'exec "$@" >&-'):
        (folder / "json").unlink()
        done = subprocess.run(["bash", "-c", closed, "bash", tool.linn, "bench", *small, "--json", folder / "json"],
                              stderr=subprocess.PIPE, text=True, timeout=100)
        check(done.returncode in (0, 1, 141), f"{closed}: exit status {done.returncode}: {done.stderr}")
        check("full" not in closed or "linn bench: cannot write to standard output: No space left" in done.stderr, done.stderr)
        json.loads((folder / "json").read_text())
    for one in ("-", "result"):
        done = tool.bench(*small, "--json", one, "--html", one)
        check(done.returncode == 2 and "--json and --html both write to" in done.stderr and done.stdout == "", done.stderr)


def case_interrupt(tool):
    """Ctrl-C, which a terminal sends to all at once: what is whole is kept and called partial, and no worker goes on."""
    process = tool.start("bench", "containers", "--only", "linn", "--rounds", "100000", "--work", "1", "--json",
                         "partial.json", start_new_session=True)
    try:
        time.sleep(4)
        check(process.poll() is None, "it ended by itself")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=10)
    finally:
        process.kill()
    check(process.returncode == 130, f"exit status {process.returncode}: {err}")
    own = processes_with("containers", process.pid)
    check(own == [], "a worker is left behind")
    check("partial: stopped by SIGINT" in out and "glibc again" in out, out)
    result = json.loads((tool.folder / "partial.json").read_text())
    check(result["complete"] is False, "not marked partial")
    check(result["complete_rounds"] >= 1, "no round was complete; is the machine very slow?")
    check(all(row["rounds"] >= 1 for row in result["scenarios"][0]["rows"]), "empty rows")


def case_interrupt_at_once(tool):
    """Stopped before anything was measured: partial all the same, and nothing is said of a worker that was not started."""
    files = [word for form in FORMS for word in (f"--{form}", form)]
    process = tool.start("bench", "object", "--only", "linn", "--rounds", "100000", *files)
    # The signal counts from the moment at which the tool catches it.
    status = pathlib.Path(f"/proc/{process.pid}/status")
    wait_for(lambda: int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) & 2, "the handler of SIGINT")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    check(process.returncode == 130, f"exit status {process.returncode}: {err}")
    check("partial: stopped by SIGINT" in out and "without optimisation" not in out, out)
    check(json.loads((tool.folder / "json").read_text())["complete"] is False, "not marked")
    for form in ("markdown", "html"):
        text = (tool.folder / form).read_text()
        check("artial: stopped" in text and "without optimisation" not in text, f"{form}: {text[-600:]}")


def case_foreign_preload(tool):
    """A preload of the user's own must not reach the measured processes."""
    path = os.path.realpath(tool.libraries["malloc_only"])
    done = tool.bench("object", "--only", "linn", "--json", "-", env={"LD_PRELOAD": path})
    skip_if_sanitized(done.stderr)
    check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout)
    for contender in result["contenders"]:
        check(contender["proof"]["providers"]["malloc"] != path, contender)


def case_containers(tool):
    for container in ("map", "set", "list"):
        result = tool.result("containers", "--container", container, "--rounds", "1")
        check(result["options"]["container"] == container, "options")
        check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])


def case_headline(tool):
    """Without names the headline is measured, and printed as one screen that a page and a file begin with too."""
    page = tool.folder / "headline.html"
    done = tool.bench("--only", "linn", "--rounds", "6", "--html", page, "--json", tool.folder / "headline.json",
                      env={"COLUMNS": "100"}, status=0)
    lines = done.stdout.splitlines()
    check(len(lines) <= 30 and max(map(len, lines)) <= 100, done.stdout)
    result = json.loads((tool.folder / "headline.json").read_text())
    (scenario,) = result["scenarios"]
    check(scenario["name"] == "headline" and [p["name"] for p in scenario["phases"]] == HEADLINE, scenario["phases"])
    check({(r["variant"], r["contender"]) for r in scenario["rows"]}
          == {("usual", "glibc"), ("usual", "glibc-again"), ("linn", "linn")}, scenario["rows"])
    check(prose(done.stdout).startswith(result["headline"]), f"{result['headline']}\n{done.stdout}")
    check(result["findings"] == [result["headline"], f"Trust: {result['trust']['reason']}"], result["findings"])
    html = page.read_text()
    check(html.index("Trust: ") < html.index("<nav"), "the page does not begin with the first screen")
    (linn,) = [r for r in scenario["rows"] if r["contender"] == "linn"]
    check(linn["phases"]["hot"]["page_faults"] == 0, linn["phases"]["hot"])
    few = tool.bench("--only", "linn", "--rounds", "2", status=0).stdout
    check("2 rounds are too few" in few and "LOW. 2 rounds, and 6 are needed." in few, few)
    check("faster" not in few.replace("would another", "") and "SLOWER" not in few, few)
    markdown = tool.bench("--only", "linn", "--rounds", "1", "--markdown", "-", status=0).stdout
    check("| test |" in markdown, markdown)
    check(tool.result("object", "--only", "linn")["headline"] is None, "a headline over another scenario")


def case_all(tool):
    """--all measures every scenario that is in no group, and begins with the headline; it takes no names."""
    done = tool.call("bench", "--all", "--only", "glibc", "--rounds", "1", "--work", "1", "--json", "-", status=0)
    names = [s["name"] for s in json.loads(done.stdout)["scenarios"]]
    check([*names, "threads", "targets"] == cases.names_in("bench.md", "scenario"), f"{names}, and not those of the guide")
    tool.refuses([], [(["bench", "--all", "object"], ["SCENARIO and --all cannot be combined"])])
    options = json.loads(tool.call("bench", "--only", "glibc", "--work", "1", "--json", "-").stdout)["options"]
    wanted = {"rounds": 10, "least_rounds": 6, "warm_up_rounds": 0, "work": 1, "budget_s": 75}
    check({key: options[key] for key in wanted} == wanted, options)


# The scenarios by which Linn's targets are measured, and what bench/targets.py makes of them.
TARGETS_SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "targets.py"
LIVE = ["1", "8", "100", "1000", "10000", "100000", "1000000"]


def verdicts(file, result):
    """What bench/targets.py makes of this result, in that file."""
    file.write_text(json.dumps(result))
    done = subprocess.run([sys.executable, TARGETS_SCRIPT, file], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    return done.stdout


def scenarios(tool, *names):
    """Runs them: every variant has every phase, and every target of theirs is judged. Returns the rows by variant."""
    import tomllib  # of Python 3.11, which the other cases do without

    targets = tomllib.loads(TARGETS_SCRIPT.with_suffix(".toml").read_text())
    pools = "linn,free-list,floor,mmap,pmr-unsynchronized,pmr-synchronized,locked-pool,spin-pool"
    done = tool.call("bench", *names, "--only", pools, "--rounds", "1", "--work", "1", "--json", "-", status=0)
    result = json.loads(done.stdout)
    check({s["name"] for s in result["scenarios"]} == set(names), [s["name"] for s in result["scenarios"]])
    check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])
    text = verdicts(tool.folder / "targets.json", result)
    found = {}
    for scenario in result["scenarios"]:
        name = scenario["name"]
        rows = {variant: row for (variant, contender), row in check_scenario(result, scenario, rounds=1).items()
                if contender != "glibc-again"}
        judged = re.findall(rf"^(?:PASS|MISS)  \S+ +{name}: ", text, re.M)
        check(len(judged) == len(targets[name]["targets"]), f"{name}: {text}")
        found[name] = rows
    return found


def case_targets_pairs(tool):
    scenarios(tool, "pairs", "pairs-shared", "scattered")


def case_targets_live_sets(tool):
    scenarios(tool, "live-sets", "reuse", "recycled")


def case_targets_containers(tool):
    row = scenarios(tool, "containers-shuffled")["containers-shuffled"]["linn"]
    check(row["peak_rss_bytes"] > 1 << 20, "the peak of the containers' processes")


def case_targets_blocks(tool):
    scenarios(tool, "pmr-blocks", "pmr")


def case_targets_buffers(tool):
    scenarios(tool, "buffers")


def case_targets_packets(tool):
    scenarios(tool, "shared-ptr", "pipeline")


def case_targets_footprint(tool):
    found = scenarios(tool, "footprint")["footprint"]
    for row in found.values():
        check(row["phases"]["live"]["metrics"]["of_payload"] >= 1, row)
    pool = {name: phase["metrics"]["anonymous_bytes"] for name, phase in found["linn_pool"]["phases"].items()}
    check(pool["trimmed"] < pool["freed"] / 4, f"trim() keeps {pool}")


def case_targets_scaling(tool):
    scenarios(tool, "scaling")


def case_targets_script(tool):
    """The best rival counts, on its best allocator, in the worst phase; what was not measured is no verdict."""
    def row(variant, contender, ns):
        phases = {name: {"ns": {"minimum": ns}, "page_faults": 0} for name in LIVE}
        return {"variant": variant, "contender": contender, "phases": phases}

    pairs = {"name": "pairs", "phases": [{"name": name} for name in LIVE],
             "rows": [row("linn_pool", "linn", 2), row("array", "floor", 1.8), row("new_delete", "glibc", 9),
                                       row("new_delete", "tcmalloc", 5), row("new_delete", "glibc-again", 1)]}
    pairs["rows"][0]["phases"]["1000000"]["ns"]["minimum"] = 3
    text = verdicts(tool.folder / "pairs.json", {"scenarios": [pairs]})
    for line in ("PASS  1   pairs: 8 to 1000 live: at most 1.6 x the floor: worst 1.11 (8, floor)",
                 "PASS  1   pairs: the hot pair: at most 1.15 x the floor: worst 1.11 (1, floor)",
                 "MISS  1   pairs: 8 to 1000 live: at least 3 x the best allocator: worst 2.5 (100, tcmalloc)",
                 "MISS  1   pairs: flat from 8 to a million live, within 1.3 x: 1.50, from 100 to 1000000"):
        check(line in text.splitlines(), text)
    check(re.search(r"^not measured: \d+ of \d+ targets, of live-sets, reuse, pairs-shared, ", text, re.M), text)
