# SPDX-License-Identifier: Apache-2.0
"""linn record --pid: exact counts from the moment of the attachment, and a program that is left as it was."""
import collections
import contextlib
import csv
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import cases
from cases import check, prose, skip

MARKED = 200_000  # sizes of steps: nothing else has such

# From glibc 2.37 on; a recording says so.
LATE_LIBRARIES = "warning: libraries that the program loaded after linn had attached are not in the trace"


class Program:
    """A child that says `ready`, and `done` after each line that it was given."""

    def __init__(self, words, **more):
        self.process = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **more)
        self.pid = self.process.pid

    def wait_ready(self):
        check(self.process.stdout.readline() == "ready\n", "the program did not become ready")
        return self

    def step(self, line):
        """What the program says of it."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        said = []
        while (answer := self.process.stdout.readline()) not in ("done\n", ""):
            said.append(answer.strip())
        return said

    def end(self, line="end", status=7):
        out, err = self.process.communicate(line + "\n", timeout=60)
        check(self.process.returncode == status, f"exit status {self.process.returncode}, not {status}: {err}")
        check(err == "", f"the program wrote {err}")
        return out


class Tool(cases.Tool):
    def attach(self, pid, *options, file="a.linn", announced=True):
        """A linn that records; it is attached when this returns."""
        linn = subprocess.Popen([self.linn, "record", "--pid", str(pid), "-o", file, *map(str, options)],
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        if not announced:
            return linn
        line = linn.stderr.readline()
        if "may not be traced" in line or "ptrace_scope" in line:
            linn.wait()
            skip("this system does not let one trace another process")
        check("attached to" in line, f"{line}{linn.stderr.read() if linn.poll() is not None else ''}")
        return linn

    def detach(self, linn, status=0, by=signal.SIGINT):
        linn.send_signal(by)
        return self.ended(linn, status)

    def ended(self, linn, status=0):
        _, err = linn.communicate(timeout=60)
        check(linn.returncode == status, f"exit status {linn.returncode}: {err}")
        return err

    @contextlib.contextmanager
    def recording(self, pid, *options, file="a.linn", quiet=True):
        linn = self.attach(pid, *options, file=file)
        yield linn
        err = self.detach(linn)
        self.misses_late_libraries = LATE_LIBRARIES in err
        check(not quiet or "warning" not in err.replace(LATE_LIBRARIES, ""), err)

    def program(self, *words):
        return Program([self.programs["counted"], *words]).wait_ready()

    def events(self, file="a.linn"):
        """(kind, call, bytes) -> count, of marked sizes; and all releases."""
        found = collections.Counter()
        for event in self.every_event(file):
            size = int(event["bytes"])
            if event["event"] == "release":
                found["release"] += 1
            elif size >= MARKED:
                found[event["event"], event["call"], size - MARKED] += 1
        return found

    def every_event(self, file):
        return csv.DictReader(io.StringIO(self.call("trace", file, "--convert", "csv", status=0).stdout))

    def facts(self, file="a.linn"):
        self.call("trace", file, "--json", "facts.json", status=0)
        return json.loads((self.folder / "facts.json").read_text())


def mapped(pid):
    return pathlib.Path(f"/proc/{pid}/maps").read_text()


def is_without_ring(program, steps):
    """Waits until the hooks have removed themselves, which they do when the program allocates."""
    deadline = time.monotonic() + 60
    while "memfd:linn-record" in mapped(program.pid):
        check(time.monotonic() < deadline, "the shared memory stays")
        if steps:
            program.step("work 0 400")
        time.sleep(0.1)


def worked(size, count):
    """What `work` does: work(MARKED + size, count)."""
    return collections.Counter({("allocation", "malloc", size): count, ("reallocation", "realloc", size + 1): count,
                                ("allocation", "calloc", size + 2): count,
                                ("allocation", "new[]", size + 3): count,
                                ("allocation", "aligned", size + 4): count})


def marked(found):
    return collections.Counter({key: n for key, n in found.items() if key != "release" and key[0] != "fill"})


def same(found, expected, what=""):
    check(found == expected, f"{what}: too many {dict(found - expected)}, too few {dict(expected - found)}")


def case_counts(tool):
    """Each call is recorded once, with its name; what came before is not, what comes after the end is not."""
    program = tool.program("steps")
    program.step("work 0 5")
    program.step("keep 3")
    with tool.recording(program.pid):
        program.step("work 0 100")
        program.step("give")
        program.step("threads 8 500")  # threads that begin after the attachment
    program.step("work 0 7")
    found = tool.events()
    same(marked(found), worked(0, 4100))
    check(found["release"] >= 4 * 4100 + 3, f"{found['release']} releases")
    tool.call("advise", "a.linn", "--json", "advice.json", status=0)
    advice = json.loads((tool.folder / "advice.json").read_text())
    check(advice["unknown_releases"] == 3, "the releases of blocks from before are not told")
    check(advice["trace"]["attached"]["pid"] == program.pid and advice["trace"]["attached"]["ran_on"], f"{advice['trace']}")
    check(any("3 releases of such blocks are left out" in w for w in advice["warnings"]), f"{advice['warnings']}")
    program.end()


def case_late_traces(tool):
    """Every reader says that the trace began late; what is live is no leak, and a budget is not proven."""
    program = tool.program("steps")
    program.step("keep 3")
    with tool.recording(program.pid):
        program.step("give")
        program.step("keep 5")
    program.end()
    tool.call("advise", "a.linn", "--json", "advice.json", status=0)
    findings = json.loads((tool.folder / "advice.json").read_text())["findings"]
    check([f["kind"] for f in findings if f["count"] == 5] == ["live"], f"{findings}")
    check("before is not in the trace" in prose(tool.call("trace", "a.linn", status=0).stdout), "trace does not say so")
    said = prose(tool.call("trace", "a.linn", "--leaks", status=0).stdout)
    check("when the recording ended, and ran on" in said and "never released" not in said, said)
    check("had run for" in prose(tool.call("compare", "a.linn", "a.linn").stdout), "compare does not say so")
    (tool.folder / "budget.toml").write_text("linn_budgets = 1\n[[budget]]\nallocations = 100\n")
    said = tool.call("check", "budget.toml", "a.linn")
    check("nothing is proven" in prose(said.stdout), f"{said}")


def sequences(tool, file):
    """Whether the sizes of each thread count up without a gap; the number of blocks."""
    last, blocks = {}, 0
    for event in tool.every_event(file):
        if event["event"] == "allocation" and 1000 <= int(event["bytes"]) < 1977:
            thread, size = event["thread"], int(event["bytes"]) - 1000
            check(thread not in last or (last[thread] + 1) % 977 == size, f"thread {thread}: {size} after {last.get(thread)}")
            last[thread] = size
            blocks += 1
    return blocks, len(last)


def case_busy(tool):
    """Threads that allocate all the time, before and after: of none is an event missing in between."""
    for threads, times in ((1, 1), (8, 2)):
        program = tool.program("busy", threads)
        files = [f"{threads}.{i}.linn" for i in range(times)]
        for file in files:
            tool.ended(tool.attach(program.pid, "--duration", "0.05", file=file))
        check("pairs" in program.end("", 0), "wrong results")
        for file in files:  # now that nothing keeps the processors busy
            blocks, seen = sequences(tool, file)
            check(blocks > 100 and (seen == threads or os.getloadavg()[0] > 4), f"{blocks} blocks of {seen} threads")


def state(pid):
    """What an attachment could leave behind: open files, threads and mappings."""
    return [len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")), mapped(pid).count("\n")]


def case_hundred_times(tool):
    """A hundred attachments leave a program as it was: no file, thread or mapping more than after the first."""
    busy = tool.program("busy", 2)
    for _ in range(25):
        tool.ended(tool.attach(busy.pid, "-q", "--duration", "0.001", announced=False))
    check("pairs" in busy.end("", 0), "wrong results")
    program = tool.program("steps")
    states = []
    for i in range(100):
        tool.ended(tool.attach(program.pid, "-q", "--duration", "0.001", announced=False))
        if i % 10 == 0:
            states.append(state(program.pid))
            program.step("work 0 3")
    check(states[-1] == states[1], f"{states}")
    program.end()


def case_killed(tool):
    """kill -9 of linn at any moment: the program goes on, and soon has no hook and no shared memory any more."""
    rng = random.Random(7)
    for words, line, status, word in ((("busy", 2), "", 0, "pairs"), (("steps",), "end", 7, "")):
        program = tool.program(*words)
        for _ in range(25):
            linn = tool.attach(program.pid, "-q", announced=False)
            time.sleep(rng.uniform(0.005, 0.25))
            linn.kill()
            linn.communicate()
            check(program.process.poll() is None, f"the program ended: {program.process.returncode}")
            if line:
                program.step("threads 2 400")
        is_without_ring(program, steps=bool(line))
        with tool.recording(program.pid, quiet=bool(line)):  # it can be recorded again
            if line:
                program.step("work 0 10")
        check(not line or marked(tool.events()) == worked(0, 10), "it cannot be recorded again")
        check(word in program.end(line, status), "wrong results")


def case_libraries(tool):
    """A library that the program loads meanwhile: its constructors, its calls and its destructors; and once more."""
    program = tool.program("steps")
    plugin = tool.libraries["plugin"]
    with tool.recording(program.pid):
        for _ in range(2):
            said = program.step(f"library {plugin}")
            check(said == [], f"{said}")
        program.step("work 0 1")
    if tool.misses_late_libraries:
        program.end()
        skip("the loader of this C library has no place to note a library, which the recording says")
    found = marked(tool.events())
    expected = worked(0, 1) + collections.Counter({("allocation", "malloc", 100_001): 2, ("allocation", "malloc", 100_002): 2,
                                                   ("allocation", "malloc", 100_003): 20,
                                                   ("allocation", "malloc", 100_005): 20})
    found = collections.Counter({key: n for key, n in found.items() if key[1] != "new"})
    same(found, expected)
    program.step(f"library {plugin}")
    program.end()


def case_forks(tool):
    """Children are recorded too, and a child that lives on is left as it was."""
    program = tool.program("steps")
    with tool.recording(program.pid):
        check(program.step("fork 50") == ["child 0"], "the child failed")
        program.step("leave")
        time.sleep(0.2)
    found = marked(tool.events())
    same(collections.Counter({key: n for key, n in found.items() if key[2] < 150}), worked(100, 50))
    check(found["allocation", "malloc", 200] > 0, "nothing of the child that lives on")
    check(len(tool.facts()["processes"]) == 3, "not three processes")
    children = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True).stdout.split()
    for child in children:
        check("memfd:linn-record" not in mapped(child), "the child still has the shared memory")
        os.kill(int(child), signal.SIGKILL)
    program.end()


def case_ends(tool):
    """All up to the end, by itself, by SIGKILL, or by another program, which is not disturbed."""
    for last, ending in (("end", "the program ended"), ("", "the program ended"), ("exec sh", "the program executed another one")):
        program = tool.program("steps")
        linn = tool.attach(program.pid)
        program.step("work 0 20")
        if not last:
            program.process.kill()
        elif last == "end":
            program.end()
        else:
            program.process.stdin.write(last + "\n")
            program.process.stdin.flush()
            check(program.process.stdout.readline() == "executed\n", "the other program did not begin")
        tool.ended(linn)
        same(marked(tool.events()), worked(0, 20), last)
        check(tool.facts()["ending"] == ending, tool.facts()["ending"])
        if last == "exec sh":
            program.end("", 5)


def case_linn_stands_still(tool):
    """A linn that was stopped for more than ten seconds is not waited for; when it goes on, it says so."""
    program = tool.program("steps")
    linn = tool.attach(program.pid)
    program.step("work 0 20")
    linn.send_signal(signal.SIGSTOP)
    is_without_ring(program, steps=True)
    linn.send_signal(signal.SIGCONT)
    tool.ended(linn)
    check("stood still" in tool.facts()["ending"] and tool.facts()["attached"]["ran_on"], f"{tool.facts()['ending']}")
    check(tool.events()["allocation", "malloc", 0] >= 20, f"{tool.events()}")
    program.end()


def case_signals(tool):
    """Signals reach the program while linn attaches and detaches, each once."""
    program = tool.program("steps")
    program.step("signals 1")
    sent = 0
    for _ in range(10):
        linn = tool.attach(program.pid, "-q", "--duration", "0.05", announced=False)
        while linn.poll() is None:
            os.kill(program.pid, signal.SIGUSR1)
            sent += 1
            time.sleep(0.002)
        tool.ended(linn)
    handled = int(program.step("signals 0")[0].split()[1])
    check(1 < handled <= sent + 1, f"{handled} of {sent} signals")  # equal ones that wait are one
    program.end()


def case_waits(tool):
    """linn attaches while all threads wait, and system calls wait as long as they would have."""
    waits = ("time.sleep(8)", "threading.Event().wait(8)", "select.select([], [], [], 8)", "threading.Timer(8, int).start()",
             "e = select.epoll(); exit(ctypes.CDLL(None).epoll_wait(e.fileno(), bytes(16), 1, 8000))")
    begun = time.monotonic()
    programs = [subprocess.Popen(["python3", "-c", f"import ctypes, select, threading, time; print(flush=True); {wait}"],
                                 stdout=subprocess.PIPE) for wait in waits]
    for program in programs:
        program.stdout.readline()
        time.sleep(0.1)
        tool.ended(tool.attach(program.pid, "-q", "--duration", "0.1", announced=False))
    for program, wait in zip(programs, waits):
        check(program.wait(30) == 0 and time.monotonic() - begun > 8, f"{wait} failed or was cut short")


def case_options(tool):
    """--fills, --sample, --depth; a default name; SIGTERM ends it as Ctrl-C does."""
    program = tool.program("steps")
    with tool.recording(program.pid, "--fills"):
        program.step("fill 10")
    check(tool.facts()["recording"]["contents"] == "fills", "not only fills")
    check(tool.facts()["kinds"]["fill"]["count"] == 10, f"{tool.facts()['kinds']}")
    for _ in range(2):
        with tool.recording(program.pid, "--sample", "1000"):
            program.step("work 0 100")
        check(tool.facts()["sample"]["blocks"] >= 400, f"{tool.facts()['sample']}")
    with tool.recording(program.pid, "--depth", "2"):
        program.step("work 0 10")
    same(marked(tool.events()), worked(0, 10))
    check(tool.facts()["recording"]["depth"] == 2, "not the depth")
    linn = subprocess.Popen([tool.linn, "record", "--pid", str(program.pid)], cwd=tool.folder,
                            stderr=subprocess.PIPE, text=True)
    linn.stderr.readline()
    program.step("work 0 1")
    err = tool.detach(linn, by=signal.SIGTERM)
    name = pathlib.Path(tool.programs["counted"]).name + ".linn"
    check((tool.folder / name).exists() and name in err, f"{os.listdir(tool.folder)}: {err}")
    program.end()


def case_twice(tool):
    """A program that is recorded already is not recorded again: by another linn, or from its start."""
    program = tool.program("steps")
    first = tool.attach(program.pid)
    done = tool.call("record", "--pid", program.pid, "-o", "b.linn", status=1)
    check("recorded already" in done.stderr, done.stderr)
    check(not (tool.folder / "b.linn").exists(), "a trace was written")
    program.step("work 0 10")
    tool.detach(first)
    same(marked(tool.events()), worked(0, 10))
    program.end()
    recorded = Program([tool.linn, "record", "--no-baseline", "-q", "-o", tool.folder / "c.linn", "--",
                        tool.programs["counted"], "steps"]).wait_ready()
    child = subprocess.run(["pgrep", "-P", str(recorded.pid)], capture_output=True, text=True).stdout.split()[0]
    done = tool.call("record", "--pid", child, status=1)
    check("was started by linn record" in done.stderr, done.stderr)
    recorded.end()


# A program with a seccomp filter of its own, which allows everything.
FILTERED = """
import ctypes, struct
rule = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
rules = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(rule)))
prctl = ctypes.CDLL(None).prctl
prctl(38, 1, 0, 0, 0)
print(prctl(22, 2, rules), flush=True)
open(0).read()
"""


def case_refusals(tool):
    """What cannot be attached to is refused with the reason, and is not touched."""
    tool.refuses(["record"], [
        (["--pid", "2147480000"], "must be a whole number"), (["--pid", "999999999"], "there is no process 999999999"),
        (["--pid", "x"], "must be a whole number"), (["--pid", "1", "--wait"], "cannot be combined"),
        (["--pid", "1", "--", "ls"], "leave out PROG"), (["--duration", "1", "--", "ls"], "--duration needs --pid"),
        (["--pid", "1", "--duration", "0"], "--duration must be")])

    def refused(process, *wanted, by=None):
        words = [tool.linn, "record", "--pid", str(process.pid), "-o", "no.linn"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=tool.folder if by is None else "/", user=by, check=False)
        check(done.returncode == 1 and all(text in prose(done.stderr) for text in wanted), f"{wanted}: {done}")
        check(not (tool.folder / "no.linn").exists(), "a trace was written")

    with subprocess.Popen(["true"]) as zombie:
        time.sleep(0.3)
        refused(zombie, "has ended: it is a zombie")
    with subprocess.Popen(["sleep", "100"]) as stopped:
        time.sleep(0.1)
        stopped.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        refused(stopped, "is stopped", f"kill -CONT {stopped.pid}")
        stopped.kill()
    with subprocess.Popen(["python3", "-c", FILTERED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as filtered:
        if filtered.stdout.readline() == "0\n":
            refused(filtered, "has a seccomp filter")
    others = [((tool.programs["sanitized"],), "AddressSanitizer")]
    if os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0:
        others.append((("unshare", "-m", tool.programs["counted"]), "in a container"))
    for words, text in others:
        other = Program([*words, "steps"]).wait_ready()
        refused(other, text)
        other.end()
    program = tool.program("steps")
    if shutil.which("strace"):
        with subprocess.Popen(["strace", "-qq", "-e", "trace=none", "-p", str(program.pid)], stderr=subprocess.DEVNULL) as tracer:
            time.sleep(0.5)
            if tracer.poll() is None:
                refused(program, "is traced already", "strace")
            tracer.terminate()
    if os.geteuid() == 0 and subprocess.run(["test", "-x", tool.linn], user=65534, check=False, cwd="/").returncode == 0:
        refused(program, "belongs to root: run linn as root", by=65534)
    program.end()


def case_python(tool):
    """A program of the system whose eight threads allocate, with the C library's allocator and with another one."""
    python = """import sys, threading
def work(n): [(bytes(200_007), str(i) * 20) for i in range(n)]
for line in sys.stdin:
    threads = [threading.Thread(target=work, args=(int(line),)) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    import decimal, ctypes, csv
    print("done", flush=True)
"""
    for allocator in ("", *map(str, pathlib.Path("/usr/lib").glob("*/libjemalloc.so.2"))):
        environment = os.environ | {"LD_PRELOAD": allocator, "PYTHONMALLOC": "malloc"}
        program = Program(["/usr/bin/python3", "-c", python], env=environment)
        program.step("1")
        linn = tool.attach(program.pid)
        program.step("50")
        tool.detach(linn)
        program.end("1", 0)
        blocks = sum(n for key, n in marked(tool.events()).items() if key[0] == "allocation" and key[2] < 100)
        check(blocks == 400, f"{blocks} blocks with {allocator or 'the C library'}")
