#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `linn bench` as a user would and checks what it says and does; one case a call."""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SMALL = ["--n", "2000", "--objects", "500", "--rounds", "2"]
PHASES = {"object": ["first", "many", "hot_pair"], "containers": ["insert", "erase", "insert_again"]}


class Tool:
    def __init__(self, linn, libraries):
        self.linn = linn
        self.libraries = dict(item.split("=", 1) for item in libraries)

    def run(self, *arguments, env=None, **more):
        return subprocess.run([self.linn, *arguments], capture_output=True, text=True, timeout=100,
                              env=dict(os.environ, **(env or {})), **more)

    def bench(self, *arguments, **more):
        return self.run("bench", *SMALL, *arguments, **more)

    def result(self, *arguments, status=0, **more):
        """The JSON of a small run."""
        done = self.bench("--json", "-", *arguments, **more)
        check(done.returncode == status, f"exit status {done.returncode}: {done.stderr}{done.stdout}")
        return json.loads(done.stdout)


def check(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


def prose(text):
    """The text without its line breaks, so that wrapping does not matter."""
    return " ".join(text.split())


def reasons(result):
    return {(entry["name"], entry["scenario"]): entry["reason"] for entry in result["left_out"]}


def case_usage_errors(tool):
    for arguments, wanted in [
            (["bench", "nosuch"], ["nosuch", "object", "containers"]),
            (["bench", "objcet"], ["did you mean 'object'"]),
            (["bench", "--round", "3"], ["--round", "did you mean '--rounds'"]),
            (["bench", "--n", "0"], ["--n"]),
            (["bench", "--n", "many"], ["--n"]),
            (["bench", "--seed", "x"], ["--seed"]),
            (["bench", "--cpu", "x"], ["--cpu"]),
            (["bench", "--container", "deque"], ["unordered_set"]),
            (["bench", "--object-bytes", "65"], ["64"]),
            (["bench", "--allocator", "mine"], ["NAME=PATH"]),
            (["bench", "--allocator", "linn=/lib/x.so"], ["linn"]),
            (["bench", "--only", "jemaloc"], ["did you mean 'jemalloc'"]),
            (["bnech"], ["did you mean 'bench'"]),
            ([], ["bench"])]:
        done = tool.run(*arguments)
        check(done.returncode == 2, f"{arguments}: exit status {done.returncode}, not 2")
        check(done.stdout == "", f"{arguments}: a usage error wrote to standard output")
        for text in wanted:
            check(text in done.stderr, f"{arguments}: {text!r} is not in {done.stderr!r}")


def case_help(tool):
    for arguments in [["--help"], ["bench", "--help"]]:
        done = tool.run(*arguments)
        check(done.returncode == 0, f"{arguments}: exit status {done.returncode}")
        check("Examples:" in done.stdout, f"{arguments}: no examples")
        check(max(map(len, done.stdout.splitlines())) <= 100, f"{arguments}: a line is too long")
    done = tool.run("--version")
    check(done.returncode == 0 and re.fullmatch(r"linn \d+\.\d+\.\d+\n", done.stdout), done.stdout)


def case_missing_library(tool):
    done = tool.bench("object", "--only", "ghost,linn", "--allocator", "ghost=/nonexistent.so")
    check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
    check("left out: ghost: /nonexistent.so not found" in prose(done.stdout), done.stdout)
    with tempfile.NamedTemporaryFile(suffix=".so") as text_file:
        text_file.write(b"no library\n")
        text_file.flush()
        result = tool.result("object", "--only", "text", "--allocator", f"text={text_file.name}")
    check("not a shared library" in reasons(result)["text", None], result["left_out"])
    # A catalogued allocator that is not installed comes with the line that installs it.
    result = tool.result("object", "--only", "jemalloc")
    if not any(c["name"] == "jemalloc" for c in result["contenders"]):
        check("apt-get install libjemalloc2" in reasons(result)["jemalloc", None], result["left_out"])


def case_inert_library(tool):
    result = tool.result("--only", "inert,linn", "--allocator", f"inert={tool.libraries['inert']}")
    reason = reasons(result)["inert", None]
    check(reason.startswith("preload did not take effect: malloc is provided by /"), reason)
    check("libc" in reason, reason)
    for scenario in result["scenarios"]:
        names = [row["contender"] for row in scenario["rows"]]
        check("inert" not in names, "an inert library was measured")
        check({"glibc", "glibc-again", "linn"} == set(names), names)


def case_crashing_library(tool):
    result = tool.result("--only", "bad,linn", "--n", "20000", "--objects", "20000",
                         "--allocator", f"bad={tool.libraries['crashing']}")
    for scenario in ("object", "containers"):
        check(reasons(result)["bad", scenario].startswith("killed by SIGABRT"), result["left_out"])
    for scenario in result["scenarios"]:
        rows = {row["contender"]: row["rounds"] for row in scenario["rows"]}
        check(rows == {"glibc": 2, "glibc-again": 2, "linn": 2}, rows)


def case_hanging_library(tool):
    result = tool.result("object", "--only", "slow,linn", "--objects", "20000", "--timeout", "2",
                         "--allocator", f"slow={tool.libraries['hanging']}")
    check(reasons(result)["slow", "object"].startswith("timed out after 2 s"), result["left_out"])
    check(len(result["scenarios"][0]["rows"]) == 3, "the others did not go on")


def case_malloc_only_library(tool):
    path = os.path.realpath(tool.libraries["malloc_only"])
    result = tool.result("object", "--only", "mine", "--allocator", f"mine={path}")
    mine = next(c for c in result["contenders"] if c["name"] == "mine")
    check(mine["proof"]["providers"]["malloc"] == path, mine)
    check("libstdc++" in mine["proof"]["providers"]["operator new"]
          or "libc++" in mine["proof"]["providers"]["operator new"], mine)


def case_json_schema(tool):
    result = tool.result("--seed", "7")
    check(result["schema"] == "linn.bench/1", result["schema"])
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
        for row in scenario["rows"]:
            check(row["rounds"] == 2, f"{row['contender']}: {row['rounds']} rounds")
            check(list(row["phases"]) == PHASES[scenario["name"]], list(row["phases"]))
            for phase in row["phases"].values():
                samples = phase["cycles"]["samples"]
                check(len(samples) == 2 and all(s > 0 for s in samples), samples)
                check(phase["cycles"]["minimum"] == min(samples), "minimum")
                check(abs(phase["cycles"]["median"] - sum(samples) / 2) < 1e-6, "median")
                check(phase["ns"]["median"] > 0, "ns")
            check(row["peak_rss_bytes"] > 1 << 20, "peak_rss_bytes")
        check(set(scenario["linn_by_best_other"]) == set(PHASES[scenario["name"]]), "linn_by_best_other")
        check(set(scenario["noise_floor"]) == set(PHASES[scenario["name"]]), "noise_floor")
    containers = result["scenarios"][1]
    published = {row["contender"]: [p["published_cycles"] for p in row["phases"].values()]
                 for row in containers["rows"]}
    check(published["glibc"] == [307, 162, 176], published["glibc"])
    check(published["linn"] == [None, None, None], published["linn"])


def case_json_only_on_stdout(tool):
    done = tool.bench("object", "--only", "linn", "--json", "-")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    json.loads(done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        done = tool.bench("object", "--only", "linn", "--json", str(path))
        check("contender" in done.stdout, "no table beside --json FILE")
        check(json.loads(path.read_text())["schema"] == "linn.bench/1", "file")
        check(os.listdir(folder) == ["result.json"], f"left behind: {os.listdir(folder)}")


def case_json_unwritable(tool):
    done = tool.bench("object", "--only", "linn", "--json", "/nonexistent/result.json")
    check(done.returncode == 1, f"exit status {done.returncode}")
    check("cannot write /nonexistent/result.json" in done.stderr, done.stderr)
    check("contender" in done.stdout, "the measured table is lost")


def workers(mark):
    """The processes whose arguments contain the mark."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"linn-bench-worker" in arguments[0] and mark.encode() in arguments:
            found.append(int(entry.parent.name))
    return found


def stopped_by(tool, number):
    mark = str(30_000 + os.getpid() % 10_000)  # one number that only our own workers carry
    arguments = [tool.linn, "bench", "containers", "--only", "linn", "--rounds", "100000", "--n", mark, "--json", "-"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(4)
        check(process.poll() is None, "it ended by itself")
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
    finally:
        process.kill()
    check(process.returncode == 128 + number, f"exit status {process.returncode}: {err}")
    check(workers(mark) == [], "a worker is left behind")
    result = json.loads(out)
    check(result["complete"] is False, "not marked partial")
    check(result["complete_rounds"] >= 1, "no round was complete; is the machine very slow?")
    check(all(row["rounds"] >= 1 for row in result["scenarios"][0]["rows"]), "empty rows")


def case_interrupt(tool):
    stopped_by(tool, signal.SIGINT)
    # And the same as text, with Ctrl-C reaching everybody at once as a terminal sends it.
    process = subprocess.Popen([tool.linn, "bench", "object", "--only", "linn", "--rounds", "100000"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=10)
    check(process.returncode == 130, f"exit status {process.returncode}: {err}")
    check("partial: stopped by SIGINT" in out, out)
    check("glibc again" in out, out)


def case_terminate(tool):
    stopped_by(tool, signal.SIGTERM)


def case_width(tool):
    for width in (80, 100, 120):
        done = tool.bench(env={"COLUMNS": str(width)})
        check(done.returncode == 0, done.stderr)
        for line in done.stdout.splitlines():
            check(len(line) <= width, f"{len(line)} columns instead of {width}: {line}")


def case_plain_when_piped(tool):
    done = tool.bench("object", "--only", "linn", env={"TERM": "xterm-256color"})
    check("\033" not in done.stdout + done.stderr, "escape codes in a pipe")
    check("\r" not in done.stdout + done.stderr, "a progress line in a pipe")


def case_foreign_preload(tool):
    """A preload of the user's own must not reach the measured processes."""
    path = os.path.realpath(tool.libraries["malloc_only"])
    result = tool.result("object", "--only", "linn", env={"LD_PRELOAD": path})
    for contender in result["contenders"]:
        check(contender["proof"]["providers"]["malloc"] != path, contender)


def case_containers(tool):
    for container in ("map", "set", "list"):
        result = tool.result("containers", "--container", container)
        check(result["options"]["container"] == container, "options")
        check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])
        row = result["scenarios"][0]["rows"][0]
        check(all(p["published_cycles"] is None for p in row["phases"].values()), "published for another container")
    for size in ("16", "256", "1024"):
        result = tool.result("object", "--object-bytes", size)
        check(not [e for e in result["left_out"] if e["scenario"]], result["left_out"])


def main():
    cases = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--linn")
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--registered", nargs="+", help="check that this list names every case")
    parser.add_argument("case", nargs="?", choices=sorted(cases))
    arguments = parser.parse_args()
    if arguments.registered:
        check(sorted(arguments.registered) == sorted(cases), f"cases are {sorted(cases)}")
        return
    cases[arguments.case](Tool(arguments.linn, arguments.library))


if __name__ == "__main__":
    main()
