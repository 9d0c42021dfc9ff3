# SPDX-License-Identifier: Apache-2.0
"""Runs `linn record` and `linn trace` on programs whose allocations are known."""
import json
import os
import pathlib
import re
import resource
import signal
import stat
import subprocess
import time
import xml.etree.ElementTree

import cases
from cases import check, children_of, prose, rows_of, runs, skip, skip_if_sanitized, wait_for

LIMIT = 100  # seconds; nothing here takes longer than a few


def once(options):
    """The second run is for the cases that are about it."""
    return [] if "--baseline" in options else ["--no-baseline"]


class Tool(cases.Tool):
    limit = LIMIT

    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.churn = self.programs["churn"]
        self.file = str(folder / "a.linn")

    def record(self, *words, options=(), status=0, **more):
        return self.call("record", *once(options), "-o", self.file, *options, "--", *words, status=status, **more)

    def start(self, *words, options=(), **more):
        return super().start("record", *once(options), "-o", self.file, *options, "--", *words, **{"stdin": subprocess.PIPE} | more)

    def trace(self, file=None, is_whole=True):
        """The JSON of linn trace."""
        done = self.call("trace", file or self.file, "--json", "-")
        check(done.returncode == 0 and done.stderr == "", done.stderr)
        result = json.loads(done.stdout)
        check(result["whole"] == is_whole, result["damage"])
        return result


def mallocs(result):
    return result["kinds"]["allocation"]["calls"].get("malloc", 0)


def frees(result):
    return result["kinds"]["release"]["calls"].get("free", 0)


def case_counts(tool):
    found = []
    for pairs in (1000, 3000):
        tool.record(tool.churn, str(pairs), "0")
        result = tool.trace()
        found.append((mallocs(result), frees(result)))
    check(found[1][0] - found[0][0] == 2000 and found[1][1] - found[0][1] == 2000, found)
    check(stat.S_IMODE(os.stat(tool.file).st_mode) == 0o600, "others may read the trace")
    tool.record(tool.churn, "50000", "8", options=["--depth", "3"])
    result = tool.trace()
    check(result["recording"]["depth"] == 3, result["recording"])
    check(len(result["threads"]) == 9 and sum(t["events"] >= 100000 for t in result["threads"]) == 8, result["threads"])
    check(sum(t["events"] for t in result["threads"]) == result["events"] == sum(k["count"] for k in result["kinds"].values()), result)
    check(result["dropped"] == 0 and result["ending"] == "exit status 0", result)


def case_passes_everything_through(tool):
    done = tool.record(tool.churn, "10", "0", "cat", "exit", "42", status=42, input="a line\nand more")
    check(done.stdout == "a line\nand more", repr(done.stdout))
    check(tool.trace()["ending"] == "exit status 42", "the ending")
    # The verb's own word goes to standard error, at the end, and not at all with --quiet.
    check(re.search(r"linn record: \d+ events of 1 thread", done.stderr) and "linn advise" in done.stderr, done.stderr)
    done = tool.record(tool.churn, "10", "0", options=["-q"])
    check(done.stdout == "" and done.stderr == "", done.stderr)
    # Everything from PROG on is the program's, also what looks like an option of ours, and a second --.
    done = tool.record("echo", "--depth", "x", "--", "-o")
    check(done.stdout == "--depth x -- -o\n", done.stdout)
    check(tool.trace()["command"] == ["echo", "--depth", "x", "--", "-o"], "the command")


def case_signals_of_the_program(tool):
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
        tool.record(tool.churn, "700", "2", "kill", str(int(number)), status=128 + number)
        result = tool.trace()
        check(result["ending"] == f"killed by {signal.Signals(number).name}", result["ending"])
        check(mallocs(result) >= 1400 and frees(result) >= 1400, result["kinds"])


def case_signals_are_handed_on(tool):
    """Once, also where a terminal sends them to the whole group; the recorder stays until the program has ended."""
    for number, send in ((signal.SIGINT, os.kill), (signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg)):
        child = tool.start(tool.churn, "10", "0", "catch", start_new_session=True)
        check(child.stdout.readline() == "ready\n", "it did not start")
        send(child.pid, number)
        out, err = child.communicate(timeout=LIMIT)
        check(out == f"caught {int(number)}\n" and child.returncode == 5, (out, err, child.returncode))
        tool.trace()


def case_nohup_stays(tool):
    child = tool.start("sh", "-c", "echo ready; cat", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    check(child.stdout.readline() == "ready\n", "it did not start")
    child.send_signal(signal.SIGHUP)
    out, _ = child.communicate("alive", timeout=LIMIT)
    check(out == "alive" and child.returncode == 0, (out, child.returncode))


def case_processes(tool):
    script = f"{tool.churn} 100 0 & {tool.churn} 200 0; wait; exec {tool.churn} 300 0 exit 3"
    tool.record("sh", "-c", script, status=3)
    result = tool.trace()
    ran = [p for p in result["processes"] if p["executable"].endswith("churn")]
    check(len(ran) == 3 and all(p["began"] == "exec" for p in ran), result["processes"])
    check(mallocs(result) >= 600, result["kinds"])
    check(ran[0]["arguments"][1:] in (["100", "0"], ["200", "0"]), ran)
    tool.record("sh", "-c", script, options=["--no-follow"], status=3)
    result = tool.trace()
    check(len({p["pid"] for p in result["processes"]}) == 1, result["processes"])
    check([p["executable"].endswith("churn") for p in result["processes"]] == [False, True], result["processes"])


def case_children_that_stay(tool):
    # Without --wait the recording ends with the program, says who still runs, and lets them run.
    leaving = f"exec >/dev/null 2>&1 {tool.churn} 10 0 leave exit 0"  # who stays would keep the test's pipes open
    for options, least in ([], 110), (["--wait"], 160):
        reader, writer = os.pipe()
        child = tool.start("sh", "-c", f"{leaving} <&{reader}", options=options, pass_fds=[reader])
        os.close(reader)
        child.stdin.close()
        child.stdin = None
        if options:
            os.write(writer, b"x" * 50)
            os.close(writer)
        err = child.stderr.read()
        check(child.wait(timeout=LIMIT) == 0 and ("still runs" in err and "--wait" in err) == (not options), err)
        check(mallocs(tool.trace(is_whole=bool(options))) >= least, "not all that the child had done by then")
        if not options:
            os.write(writer, b"x" * 100)  # it goes on without a recorder
            os.close(writer)
            pid = int(re.search(r"any further: (\d+)", err).group(1))
            wait_for(lambda: not runs(pid), "the end of the child")


def case_time_of_a_daemon(tool):
    """With --wait the CPU time is that of the processes too whose parent has ended, and nothing is run again."""
    count = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"
    done = tool.call("record", "--wait", "-o", tool.file, "--", "sh", "-c", f"({count}; exec {tool.churn} 1000 0) & exit 0",
                     stdin=subprocess.DEVNULL)
    check(done.returncode == 0, done.stderr)
    result = tool.trace()
    check(mallocs(result) >= 1000, result["kinds"])
    check(result["user_ns"] + result["system_ns"] > 50e6, (result["user_ns"], result["system_ns"]))
    check(result["baseline"] is None and "left processes behind" in done.stderr, done.stderr)


def case_wait_collects_orphans(tool):
    """A process that the program left behind is no zombie after its end."""
    pid = tool.folder / "pid"
    script = f"(sh -c 'echo $$ > {pid}' &); until [ -s {pid} ]; do :; done; while kill -0 $(cat {pid}) 2>/dev/null; do sleep 0.01; done"
    tool.call("record", "--wait", "-o", tool.file, "--", "sh", "-c", script, status=0)


def case_signal_while_waiting(tool):
    """A signal while --wait waits for the children ends it within a second, and goes on to them; nothing is run again."""
    left = tool.folder / "left"
    script = f"{tool.churn} 10 0; exec >/dev/null 2>&1; sleep 100 & echo $! >> {left}"
    child = cases.Tool.start(tool, "record", "--wait", "-o", tool.file, "--", "sh", "-c", script, stdout=subprocess.DEVNULL)
    wait_for(lambda: left.exists() and left.read_text(), "what the program leaves behind")
    time.sleep(0.3)  # the program ends
    begin = time.monotonic()
    child.terminate()
    err = child.stderr.read()
    check(time.monotonic() - begin < 1, f"it waited for {time.monotonic() - begin:.1f} s")
    check(child.wait(timeout=LIMIT) == 128 + signal.SIGTERM, f"{child.returncode}: {err}")
    check(len(left.read_text().split()) == 1 and "running it again" not in err, err)
    wait_for(lambda: not runs(left.read_text().strip()), "the end of the child", 2)  # the signal takes a moment
    check("still" not in err, f"the child goes on: {err}")
    check(mallocs(tool.trace()) >= 10, "what was recorded before is lost")


def case_recorder_killed(tool):
    # The file up to there can be read, and the program goes on to its end.
    child = tool.start(tool.churn, "400000", "2", "cat", "exit", "0")
    wait_for(lambda: os.path.exists(tool.file) and os.path.getsize(tool.file) > 20000, "the trace")
    inner = children_of(child.pid)
    child.kill()
    child.wait()
    check(len(inner) == 1, inner)
    child.stdin.write("done")
    child.stdin.close()
    out = child.stdout.read()  # until the program, which holds the other end, has ended
    check(out == "done", out)
    result = tool.trace(is_whole=False)
    check(result["events"] > 0 and result["ending"] is None, result["damage"])
    check(any("its end is missing" in d for d in result["damage"]), result["damage"])


def case_refusals(tool):
    """What cannot be recorded is refused with the reason; nothing is run or written."""
    def file(name, text, mode=0o755):
        path = tool.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    rows = [(2, "no such program", ["--", "./nosuch"]), (2, "no such program on PATH", ["--", "slepe", "1"]),
            (2, "missing program", []), (2, "missing program", ["--"]),
            (2, "unknown option '--dept'; did you mean '--depth'?", ["--dept", "5", "--", "true"]),
            (2, "--depth", ["--depth", "sundial", "--", "true"]), (2, "is a directory", ["--", "/"]),
            (2, "not executable", ["--", file("text", "hello", 0o644)]),
            (2, "does not exist", ["--", file("lost", "#!/no/such/interpreter\n")])]
    if static := tool.programs.get("static"):
        rows.append((1, "is a script, and", ["--", file("script", f"#!{static}\n")]))
    for status, wanted, words in rows:
        done = tool.call("record", "-o", tool.file, *words, status=status)
        check(wanted in prose(done.stderr), done.stderr)
        check(done.stdout == "" and not os.path.exists(tool.file), "something was run or written")


def case_one_recording_in_a_file(tool):
    """A second linn does not overwrite what the first one writes."""
    first = tool.start(tool.churn, "10", "0", "catch")
    check(first.stdout.readline() == "ready\n", "it did not start")
    check("another linn is recording into it; -o FILE names" in tool.record(tool.churn, "10", "0", status=1).stderr, "not refused")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=LIMIT)
    tool.trace()
    tool.record(tool.churn, "10", "0")


def case_disk_full(tool):
    # By a limit on the size of files, as a full disk would: the program goes on, the file is valid, the status says it.
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000_000_000 if os.geteuid() == 0 else
                                                   resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    done = tool.record(tool.churn, "2000000", "2", status=1, preexec_fn=limit)
    check("File too large" in done.stderr and "the program went on" in done.stderr, done.stderr)
    result = tool.trace(is_whole=False)
    check(result["events"] > 1000 and os.path.getsize(tool.file) <= 200_000, result["damage"])
    check(all("cut off" not in d for d in result["damage"]), result["damage"])
    check(any("could not be written, and nothing is known after the first" in d for d in result["damage"]), result["damage"])
    # What is missing could be anything, so nothing says that there is no need for a pool, or no difference, or no leak.
    said = json.loads(tool.call("advise", tool.file, "--json", "-").stdout)
    check(said["answer"] == "not-known" and not said["complete"], said["verdict"])
    done = tool.call("compare", tool.file, tool.file, "--fail-over", "1000")
    check(done.returncode == 1 and "Not known whether they differ" in prose(done.stdout), done.stdout)
    done = tool.record(tool.churn, "2000000", "2", status=1,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)))
    check("File too large" in done.stderr, done.stderr)
    done = tool.record(tool.churn, "2000000", "2", "exit", "9", status=9, preexec_fn=limit)
    for words in (["record", "-o", "/dev/full", "--", tool.churn, "10", "0"], ["trace", tool.file, "--convert", "csv", "-o", "/dev/full"]):
        check("No space left" in tool.call(*words, status=1).stderr, words)


def case_address_space(tool):
    """The recorder takes few addresses of a program that has a limit on them, and says so where it gets none."""
    tool.record("sh", "-c", f"ulimit -v 40000; exec {tool.churn} 200000 0")
    check(mallocs(tool.trace()) >= 200_000, "the program is not in the trace")
    done = tool.record("sh", "-c", f"ulimit -v 10000; exec {tool.churn} 2000 0", status=None)
    if done.returncode == 1:  # otherwise there is room
        check("events were lost" in done.stderr, done.stderr)
        check(tool.trace(is_whole=False)["dropped"] > 2000, "the trace does not say so")


def case_event_cost(tool):
    """What an event cost is measured while the program runs, of every thread."""
    tool.record(tool.churn, "100000", "2")
    result = tool.trace()
    cost, samples = result["recording"]["event_cost_ns"], result["recording"]["event_cost_samples"]
    check(result["events"] / 80 < samples < result["events"] / 50, (samples, result["events"]))
    check(5 < cost < 5000, cost)
    recorded = result["user_ns"] + result["system_ns"]
    check(cost * result["events"] < recorded, (cost, result["events"], recorded))
    tool.record(tool.churn, "20", "0")
    check(tool.trace()["recording"]["event_cost_samples"] == 0, "a cost of too few events is told")
    # Short threads: what each has measured counts.
    tool.record(tool.churn, "500", "300")
    result = tool.trace()
    check(result["recording"]["event_cost_samples"] > result["events"] / 100, result["recording"])


def case_second_run(tool):
    """Unasked, where the program can be run twice; what it printed is there once."""
    def record(*words, options=(), stdin=subprocess.DEVNULL, **more):
        return tool.call("record", "-o", tool.file, *options, "--", *words, stdin=stdin, **more)

    done = record(tool.churn, "200000", "0", "cat", stdin=open(__file__))
    check(done.returncode == 0 and done.stdout == pathlib.Path(__file__).read_text(), done.stderr)
    result = tool.trace()
    check("running it again" in done.stderr and "--no-baseline" in done.stderr, done.stderr)
    check(result["baseline"] is not None and
          0 < result["baseline"]["cpu_ns"] < result["user_ns"] + result["system_ns"], (result["baseline"], done.stderr))
    check(result["baseline"]["page_faults"] > 50, result["baseline"])
    done = record(tool.churn, "200000", "0", options=["--no-baseline"])
    check(tool.trace()["baseline"] is None and "again" not in done.stderr, done.stderr)
    done = record(tool.churn, "200000", "0", options=["-q"])
    check(tool.trace()["baseline"] is not None and done.stderr == "", done.stderr)
    done = record(tool.churn, "10", "0", options=["--baseline", "--no-baseline"])
    check(done.returncode == 2, done.stderr)
    done = record(tool.churn, "1", "0", options=["--baseline"], stdin=None, input="through a pipe")
    check(done.returncode == 2 and "can be read once" in done.stderr, done.stderr)


def case_second_run_refused(tool):
    """What may have an effect, or waits, is run once; the trace is whole and the exit status the first run's."""
    count = tool.folder / "count"
    text = f"echo run >> {count}"
    for name, words, more, reason in (
            ("pipe", ["sh", "-c", text], {"input": "x"}, "can be read once"),
            ("signal", ["sh", "-c", text + "; kill -TERM $$"], {}, "signal"),
            ("waits", ["sh", "-c", text + "; sleep 0.5"], {}, "waited"),
            ("writes", ["sh", "-c", text + f"; head -c 300000 /dev/zero > {tool.folder}/big"], {}, "to files")):
        if name == "writes" and os.statvfs(tool.folder).f_files == 0:
            continue
        count.unlink(missing_ok=True)
        (tool.folder / "big").unlink(missing_ok=True)
        if not more:
            more = {"stdin": subprocess.DEVNULL}
        done = tool.call("record", "-o", tool.file, "--", *words, **more)
        check(count.read_text() == "run\n", f"{name}: it ran {count.read_text().count('run')} times: {done.stderr}")
        result = tool.trace()
        check(result["baseline"] is None, f"{name}: {result['baseline']}")
        if result["events"] != 0:
            check(reason in done.stderr and ("--baseline" in done.stderr) == (name in ("waits", "writes")), f"{name}: {done.stderr}")
    if os.statvfs(tool.folder).f_files != 0:  # what goes into one file by two streams counts once
        count.unlink(missing_ok=True)
        text += f"; head -c 300000 /dev/zero; head -c 250000 /dev/zero > {tool.folder}/other"
        with open(tool.folder / "log", "w", encoding="utf-8") as log:
            subprocess.run([tool.linn, "record", "-o", tool.file, "--", "sh", "-c", text], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                           timeout=LIMIT, check=True)
        check(count.read_text() == "run\n", "it ran again")


def case_second_run_differs(tool):
    """A second run that did something else is not used, and costs nothing but its time."""
    flag = tool.folder / "flag"
    script = f"if [ -e {flag} ]; then exit 3; fi; : > {flag}; exec {tool.churn} 100000 0"
    done = tool.call("record", "--baseline", "-o", tool.file, "--", "sh", "-c", script,
                     stdin=subprocess.DEVNULL)
    check(done.returncode == 0, done.stderr)
    check("ended otherwise: exit status 3, not exit status 0" in done.stderr, done.stderr)
    check(tool.trace()["baseline"] is None, "a run that failed is a baseline")
    flag.unlink()
    # Computes for some tenths of a second: of a run of mere allocations the recorder takes most of the time, on a fast
    # processor so much that what is left is within the noise.
    script = script.replace("exit 3", "exit 0").replace("exec", "i=0; while [ $i -lt 600000 ]; do i=$((i + 1)); done; exec")
    done = tool.call("record", "--baseline", "-o", tool.file, "--", "sh", "-c", script,
                     stdin=subprocess.DEVNULL)
    check("it did less" in done.stderr and tool.trace()["baseline"] is None, done.stderr)


def case_corrupt(tool):
    """A bit that changed anywhere in a trace is an error of every verb that reads it; a cut is not, what is there is right."""
    tool.record(tool.churn, "100000", "2")
    whole = pathlib.Path(tool.file).read_bytes()
    verbs = (["advise"], ["trace"], ["trace", "--convert", "csv"])
    copy = tool.folder / "copy.linn"
    places = {"magic": 0, "start": 16 + 80 + 40, "header": 16 + 10, "middle": len(whole) // 2, "end": len(whole) - 5}
    for name, place in places.items():
        damaged = bytearray(whole)
        damaged[place] ^= 4
        copy.write_bytes(damaged)
        for verb in verbs:
            done = tool.call(*verb, str(copy))
            check(done.returncode == (2 if name == "magic" else 1), f"{name}: {verb}: {done.returncode}: {done.stdout[-300:]}{done.stderr}")
            wanted = "is not a linn trace" if name == "magic" else "is damaged"
            check(f"linn {verb[0]}: {copy} {wanted}" in done.stderr, f"{name}: {verb}: {done.stderr}")
    # Without one whole frame there is no recording; without one whole chunk there is one without allocations.
    for length in (16, 40, 300):
        copy.write_bytes(whole[:length])
        for verb in verbs:
            done = tool.call(*verb, str(copy))
            check(done.returncode == 1 and not done.stdout, f"{length}: {verb}: {done.returncode}: {done.stdout}{done.stderr}")
            check(f"{copy} holds no recording: it ends after {length} bytes" in done.stderr, f"{verb}: {done.stderr}")
            check("copy it again, or record again" in done.stderr, f"{verb}: {done.stderr}")
    copy.write_bytes(whole[:1200])
    told = prose(tool.call("advise", copy, status=0).stdout)
    check(told.startswith("the trace is not whole") and "Not known whether" in told, told)
    check("warning: the trace is not whole: the file is cut off" in told and "record again" in told, told)
    for length in (len(whole) * 2 // 3, len(whole) - 30):
        copy.write_bytes(whole[:length])
        for verb in ("advise", "trace"):
            check("cut off" in prose(tool.call(verb, copy, status=0).stdout), f"{length}: {verb}")


def case_own_preload_stays(tool):
    with_preload = {**os.environ, "LD_PRELOAD": tool.programs["preload"]}
    skip_if_sanitized(tool.call("--version", env=with_preload).stderr)
    done = tool.record(tool.churn, "1", "0", "env", env=with_preload)
    seen = done.stdout.strip().split(":")
    check(len(seen) == 2 and seen[0].endswith("liblinn-record.so") and seen[1] == tool.programs["preload"], done.stdout)


def case_closed_streams(tool):
    # Started without standard streams, the shared memory must not become the program's standard input.
    done = subprocess.run(["sh", "-c", f"exec {tool.linn} record -o {tool.file} -- {tool.churn} 10 0 exit 4 <&- >&- 2>&-"],
                          timeout=LIMIT)
    check(done.returncode == 4, done.returncode)
    check(mallocs(tool.trace()) >= 10, "nothing recorded")


def case_trace_shows(tool):
    tool.record(tool.churn, "1000", "2")
    done = tool.call("trace", tool.file, status=0)
    for word in ("Events", "Processes", "Threads", "Modules", "malloc", "libc.so.6", "bytes an event"):
        check(word in done.stdout and done.stderr == "", (word, done))
    rows = rows_of(tool.call("trace", tool.file, "--convert", "csv").stdout)
    times = [int(row["time_ns"]) for row in rows]
    check(len(rows) == tool.trace()["events"] and times == sorted(times), "events are missing or out of order")
    gone = tool.folder / "gone"
    gone.mkdir()
    tool.record(tool.churn, "10", "0", cwd=gone, preexec_fn=gone.rmdir)
    check(tool.trace()["directory"].endswith("/gone (deleted)"), "where it was recorded")


def case_cut_stacks(tool):
    """A stack that ends too early is counted, and said in the summary and by advise."""
    if os.uname().machine != "x86_64":
        skip("the frame is one of x86-64")
    tool.record(tool.programs["rare"])
    check(tool.trace()["cut_stacks"] == 1, tool.trace()["cut_stacks"])
    check("1 ends too early" in tool.call("trace", tool.file).stdout, "not in the summary")
    check("1 of " in (said := prose(tool.call("advise", tool.file).stdout)) and "before the outermost call" in said,
          said)
    tool.record(tool.churn, "10", "0")
    check(tool.trace()["cut_stacks"] == 0 and "too early" not in tool.call("trace", tool.file).stdout, "cut")


def case_build_ids(tool):
    """Also of an executable with holes between its segments, which glibc knows as several."""
    program = tool.programs["rare"]
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    tool.record(program)
    found = {os.path.basename(m["path"]): m["build_id"] for m in tool.trace()["modules"]}
    check(found[os.path.basename(program)] == notes.split("Build ID: ")[1].split()[0], (found, notes))
    check(len(found) == len(tool.trace()["modules"]), tool.trace()["modules"])


def case_trace_refusals(tool):
    tool.record(tool.churn, "10", "0")
    tool.refuses(["trace"], [(["nosuch.linn"], "no such file"), ([], "missing FILE"),
                             (["--json", "shop.linn"], "'shop.linn' is the FILE of --json"),
                             ([tool.file, "--convert", "pprf"], "did you mean 'pprof'?")])
    os.chmod(tool.file, 0)
    become = {"preexec_fn": lambda: os.setuid(65534)} if os.geteuid() == 0 else {}  # root may read everything
    try:
        done = tool.call("trace", tool.file, **become)
    except PermissionError:
        return  # this user may not even start linn
    check(done.returncode == 2 and "Permission denied" in done.stderr, done)


COST = 2000  # ticks of a slow call of known_share; two in each round, which take half of it by default


def measure(tool, rounds, work, threads=1, options=("--baseline",)):
    """The JSON of linn advise, of a program whose time in the allocator is known."""
    program = [tool.programs["known_share"], rounds, work, threads]
    tool.call("record", "-o", tool.file, *options, "--", *program, status=0)
    return json.loads(tool.call("advise", tool.file, "--json", "-", status=0).stdout)


def near(value, expected, by=0.06):
    check(abs(value - expected) <= by, f"{value}, not {expected}")


def share(result):
    check(result["allocation_time"] is not None, result["time_unknown"])
    taken = result["allocation_time"]
    check(0 <= taken["low"] <= taken["share"] <= taken["high"] <= 1, taken)
    return taken["share"]


def case_time_of_a_known_program(tool):
    for work in (4 * COST, 12 * COST):
        near(share(measure(tool, 60_000, work)), 2 * COST / (2 * COST + work))
    near(share(measure(tool, 30_000, 2 * COST, threads=3)), 0.5)
    near(share(measure(tool, 60_000, 2 * COST, options=["--no-baseline"])), 0.5, by=0.12)


def case_time_by_stacks(tool):
    """The nanoseconds of all stacks are the share of the program's CPU time, in the flame graph of the page too; they are not those
    of some of the blocks."""
    taken = measure(tool, 60_000, 4 * COST)["allocation_time"]
    words = ("trace", tool.file, "--convert", "collapsed", "--weight", "time")
    lines = tool.call(*words).stdout.splitlines()
    by_stack = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
    near(by_stack / taken["cpu_ns"], taken["share"], by=0.001)
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


def case_time_with_cold_caches(tool):
    """Else the share of a server is 0.0 % and not 0.8: what the readings cost is subtracted from calls that took less."""
    def reading(lines):
        sums = sums_of(tool, tool.programs["known_share"], "60000", "100", "1", lines)
        return sums["nothing_plain_ticks"] / sums["nothing_plain"]

    warm, cold = reading("0"), reading("200")
    check(cold < 4 * warm, f"{cold} ticks, {warm} where nothing else needs the caches")


def case_time_in_a_sample(tool):
    """A sample has few blocks, but sums over all calls: two in four of a round take COST ticks."""
    sums = sums_of(tool, tool.programs["known_share"], "60000", str(2 * COST), "1", options=["--sample", "65536"])
    check(abs(sums["plain_calls"] + sums["fenced_calls"] - 240_000) < 24_000, sums)
    near(sums["plain_ticks"] / sums["plain_calls"], COST / 2, by=COST / 4)


def case_time_of_short_processes(tool):
    """A script's commands make few calls each, and all count: otherwise "no pool needed" rests on those of the shell."""
    script = f"for i in $(seq 300); do {tool.programs['known_share']} 40 0 1; done"
    sums = sums_of(tool, "sh", "-c", script)
    calls = sums["plain_calls"] + sums["fenced_calls"]
    check(abs(calls - 300 * 160) < 300 * 32, sums)


def case_time_of_a_release(tool):
    # malloc of 64 bytes and free of 96 bytes take equally long, and each is all that its type takes.
    by_label = {t["label"].split("-")[0]: t["time_share"] for t in measure(tool, 60_000, 2 * COST)["types"]}
    near(by_label["64"], 0.25)
    near(by_label["96"], 0.25)
