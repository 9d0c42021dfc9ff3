# SPDX-License-Identifier: Apache-2.0
"""The behaviour of `linn replay`: traces recorded from a small program, and what is wrong with others."""
import json
import os
import signal
import subprocess
import time

import cases
from cases import check, prose

PROGRAM_EVENTS = 2 * (4 * 30_000 + 2)


class Tool(cases.Tool):
    def record(self, *words):
        trace = self.folder / "program.linn"
        self.call("record", "--baseline", "-o", trace, "--", self.programs["replayed"], *words, status=0)
        return trace

    def replay(self, *words, status=0):
        return self.call("replay", *words, status=status)

    def result(self, *words, status=0):
        return json.loads(self.replay("--json", "-", *words, status=status).stdout)


def case_usage_errors(tool):
    trace = tool.folder / "empty.linn"
    trace.write_bytes(b"")
    tool.refuses(["replay"], (
            ((), "missing TRACE"),
            (("no-such.linn",), "no-such.linn"),
            ((trace,), "empty.linn"),
            (("/etc/passwd",), "/etc/passwd"),
            ((trace, "--touch", "twice"), "twice"),
            ((trace, "--allocators", "jemaloc"), "did you mean 'jemalloc'?"),
            ((trace, "--rounds", "0"), "--rounds"),
            ((trace, "--against", "/nonexistent.json"), "/nonexistent.json"),
            ((trace, "--top", "3"), "--types"),
            ((trace, "--nonsense"), "unknown option '--nonsense'"),
            ((trace, "--allocator", "linn=/lib/x.so"), "linn"),
    ))


def case_help(tool):
    tool.helps("replay", names=("--allocators", "--allocator", "--rounds", "--budget", "--touch", "--types", "--against",
                                "--json", "--csv", "--markdown", "--html", "--events"))


def case_table(tool):
    few = prose(tool.replay(tool.record(), "--rounds", "3", "--allocators", "linn").stdout)
    check(few.startswith("3 rounds are too few to compare 1 allocator (6 needed): use --rounds 6"), few)
    check("Noise floor" not in few, few)
    done = tool.call("replay", tool.folder / "program.linn", "--rounds", "6", "--allocators", "linn",
                     env={**os.environ, "COLUMNS": "100"})
    check(done.returncode == 0, done.stderr)
    text = prose(done.stdout)
    for words in ("serve", "default (glibc", "default again", "Linn", "costs nothing", "50 to 130 %",
                  "Noise floor"):
        check(words in text, f"{words} is missing: {done.stdout}")
    check(done.stderr == "", done.stderr)
    check(all(len(line) <= 100 for line in done.stdout.splitlines()), done.stdout)


def case_counts(tool):
    """All requests of both threads are there, and so is every hand-over."""
    result = tool.result(tool.record(), "--rounds", "1", "--allocators", "linn")
    trace = result["trace"]
    # The C and C++ libraries allocate a few blocks of their own.
    check(PROGRAM_EVENTS <= trace["events"] <= PROGRAM_EVENTS + 100, trace)
    check(trace["threads"] == 2, trace)
    check(30_000 <= trace["hand_overs"] <= 30_010, trace)
    check(trace["skipped"] == 0, trace)
    check(trace["program_cpu_seconds"] > 0, trace)
    check([r["name"] for r in result["rows"]] == ["default", "default-again", "linn", "null"], result["rows"])
    check(all(r["failure"] is None for r in result["rows"]), result["rows"])


def case_events(tool):
    result = tool.result(tool.record(), "--rounds", "1", "--allocators", "null", "--events", "10000")
    check(result["trace"]["events"] == 10_000, result["trace"])
    check(any("the first 10000 events" in r for r in result["remarks"]), result["remarks"])
    whole = tool.result(tool.folder / "program.linn", "--rounds", "1", "--allocators", "null")
    check(result["trace"]["program_cpu_seconds"] < whole["trace"]["program_cpu_seconds"] / 10, result["trace"])


def case_touch(tool):
    trace = tool.record("big")
    peaks = {}
    for touch in ("none", "lines"):
        result = tool.result(trace, "--rounds", "1", "--allocators", "null", "--touch", touch)
        peaks[touch] = result["rows"][0]["peak_rss_bytes"]
    check(peaks["none"] < peaks["lines"] / 2, peaks)


def case_types(tool):
    result = tool.result(tool.record(), "--rounds", "1", "--allocators", "null", "--types")
    names = [t["name"] for t in result["types"]]
    check(any("widget" in name for name in names), names)
    check(all(t["failure"] is None for t in result["types"]), result["types"])
    check(len(tool.result(tool.folder / "program.linn", "--rounds", "1", "--allocators", "null", "--types", "--top", "1")["types"]) == 1,
          "--top 1")


def case_against(tool):
    trace = tool.record()
    run = tool.folder / "run.json"
    done = tool.call("run", "--only", "glibc-no-trim", "--rounds", "2", "--warm-up", "0", "--json", run, "--",
                     tool.programs["replayed"])
    check(done.returncode == 0, done.stderr)
    result = tool.result(trace, "--rounds", "2", "--allocators", "glibc-no-trim", "--against", run)
    agreement = result["agreement"]
    check(agreement["problem"] is None and agreement["file"] == str(run), agreement)
    check(sorted(r["name"] for r in agreement["rows"]) == ["default", "glibc-no-trim"], agreement)
    check(agreement["verdict"] != "", agreement)
    text = prose(tool.replay(trace, "--rounds", "2", "--allocators", "glibc-no-trim", "--against", run).stdout)
    check("predicted" in text and "measured" in text, text)
    bench = tool.folder / "bench.json"
    bench.write_text('{"schema": "linn.bench/1"}')
    check("--against" in tool.replay(trace, "--against", bench, status=2).stderr, "a result of bench")


def case_reports(tool):
    files = {form: tool.folder / f"report.{form}" for form in ("json", "csv", "markdown", "html")}
    words = [word for form, file in files.items() for word in (f"--{form}", file)]
    tool.replay(tool.record(), "--rounds", "1", "--allocators", "linn", *words)
    check(json.loads(files["json"].read_text())["schema"] == "linn.replay/1", "JSON")
    check(files["csv"].read_text().count("\n") == 5, files["csv"].read_text())
    check("| Linn |" in files["markdown"].read_text(), files["markdown"].read_text())
    check("</html>" in files["html"].read_text(), "HTML")
    done = tool.replay(tool.folder / "program.linn", "--json", "/nonexistent/x.json", status=1)
    check("/nonexistent" in done.stderr, done.stderr)


def case_failing_allocator(tool):
    """A library that crashes at work is left out or a row with its failure, and the others have figures."""
    result = tool.result(tool.record(), "--rounds", "1", "--allocators", "crashing", "--allocator",
                         f"crashing={tool.libraries['crashing']}")
    left = " ".join(result["left_out"])
    failed = " ".join(r["name"] for r in result["rows"] if r["failure"])
    check("crashing" in left or "crashing" in failed, result)
    check(result["rows"][0]["median"] > 0 and result["rows"][-1]["name"] == "null", result["rows"])


def case_wrong_library(tool):
    """One that is missing, or does not provide malloc, is refused."""
    for path, reason in (("/nonexistent.so", "not found"), (tool.libraries["inert"], "preload did not take effect")):
        done = tool.replay(tool.record(), "--allocator", f"wrong={path}", status=2)
        check("--allocator wrong: " in done.stderr and reason in done.stderr, done.stderr)


def case_processes(tool):
    """Of several process images the busiest is replayed, and that is said."""
    result = tool.result(tool.record("fork"), "--rounds", "1", "--allocators", "null")
    check(any("several process images" in r for r in result["remarks"]), result["remarks"])
    check(result["trace"]["events"] >= PROGRAM_EVENTS, result["trace"])


def case_damaged(tool):
    """What is whole of a trace that was cut off is replayed."""
    trace = tool.record()
    whole = trace.read_bytes()
    cut = tool.folder / "cut.linn"
    cut.write_bytes(whole[:len(whole) // 2])
    done = tool.call("replay", cut, "--rounds", "1", "--allocators", "null", "--json", "-")
    check(done.returncode in (0, 1, 2), f"{done.returncode}: {done.stderr}")
    if done.returncode == 0:
        check(json.loads(done.stdout)["trace"]["events"] <= PROGRAM_EVENTS + 100, done.stdout)
    else:
        check("linn replay: " in done.stderr, done.stderr)
    header = tool.folder / "header.linn"
    header.write_bytes(whole[:40])
    done = tool.call("replay", header)
    check(done.returncode == 1 and "holds no recording" in done.stderr, f"a header alone: {done.returncode}: {done.stderr}")


def case_no_room(tool):
    """A missing temporary folder is reported, with the variable that names another."""
    environment = dict(os.environ, TMPDIR="/nonexistent-folder")
    done = tool.call("replay", tool.record(), "--rounds", "1", env=environment)
    check(done.returncode == 1 and done.stderr.startswith("linn replay: cannot write") and "TMPDIR" in done.stderr, f"{done.returncode}: {done.stderr}")


def case_interrupt(tool):
    trace = tool.record()
    process = subprocess.Popen([tool.linn, "replay", trace, "--allocators", "linn", "--rounds", "10000", "--budget", "600"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    check(process.returncode == 130, f"{process.returncode}: {err}")
    check(out.startswith("partial: stopped by SIGINT") or "stopped before anything" in err, out + err)
