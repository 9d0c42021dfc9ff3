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
import struct
import subprocess
import time

import cases
from cases import check, prose, skip, skip_without

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
        linn = subprocess.Popen([self.linn, "record", "--no-calibration", "--pid", str(pid), "-o", file, *map(str, options)],
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
    program.step("work 0 7")
    found = tool.events()
    same(marked(found), worked(0, 100))
    check(found["release"] == 400 + 3, f"{found['release']} releases")
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


def case_threads(tool):
    """Eight threads that begin after the attachment."""
    program = tool.program("steps")
    with tool.recording(program.pid):
        program.step("threads 8 500")
    same(marked(tool.events()), worked(0, 4000))
    check(tool.facts()["threads"][0]["process"] == 0, "no thread")
    program.end()


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
        for file in files: # now that nothing keeps the processors busy
            blocks, seen = sequences(tool, file)
            check(blocks > 100 and (seen == threads or os.getloadavg()[0] > 4), f"{blocks} blocks of {seen} threads")


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
            states.append(program.step("state")[0])
            program.step("work 0 3")
    check(states[-1] == states[1], f"{states}")
    program.end()


def case_killed(tool):
    """kill -9 of linn at any moment: the program goes on, and soon has no hook and no shared memory any more."""
    rng = random.Random(7)
    for words, line, status, word in ((("busy", 2), "", 0, "pairs"), (("steps",), "end", 7, "")):
        program = tool.program(*words)
        for _ in range(25):
            linn = subprocess.Popen([tool.linn, "record", "--no-calibration", "-q", "--pid", str(program.pid), "-o", "a.linn"],
                                    stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tool.folder)
            time.sleep(rng.uniform(0.005, 0.25))
            linn.kill()
            linn.wait()
            check(program.process.poll() is None, f"the program ended: {program.process.returncode}")
            if not line:
                continue
            program.step("threads 2 400")
        for _ in range(100):
            maps = pathlib.Path(f"/proc/{program.pid}/maps").read_text()
            if "linn-record (deleted)" not in maps:
                break
            if line:
                program.step("work 0 400")
            time.sleep(0.1)
        check("memfd:linn-record" not in maps, "the shared memory stays")
        # and it can be recorded again
        linn = tool.attach(program.pid)
        if line:
            program.step("work 0 10")
        tool.detach(linn)
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
        maps = pathlib.Path(f"/proc/{child}/maps").read_text()
        check("memfd:linn-record" not in maps, "the child still has the shared memory")
        os.kill(int(child), signal.SIGKILL)
    program.end()


def case_exec(tool):
    """Another program ends the recording, and is not disturbed."""
    program = tool.program("steps")
    linn = tool.attach(program.pid)
    program.step("work 0 20")
    program.process.stdin.write("exec sh\n")
    program.process.stdin.flush()
    check(program.process.stdout.readline() == "executed\n", "the other program did not begin")
    tool.ended(linn)
    same(marked(tool.events()), worked(0, 20))
    check(tool.facts()["ending"] == "the program executed another one", tool.facts()["ending"])
    program.end("", 5)


def case_program_ends(tool):
    """All up to the end, by itself or by SIGKILL."""
    program = tool.program("steps")
    linn = tool.attach(program.pid)
    program.step("work 0 20")
    program.end()
    tool.ended(linn)
    same(marked(tool.events()), worked(0, 20))
    check(tool.facts()["ending"] == "the program ended", tool.facts()["ending"])
    program = tool.program("steps")
    linn = tool.attach(program.pid)
    program.step("work 0 20")
    program.process.kill()
    tool.ended(linn)
    same(marked(tool.events()), worked(0, 20))


def case_linn_stands_still(tool):
    """A linn that was stopped for more than ten seconds is not waited for; when it goes on, it says so."""
    program = tool.program("steps")
    linn = tool.attach(program.pid)
    program.step("work 0 20")
    linn.send_signal(signal.SIGSTOP)
    deadline = time.monotonic() + 60
    while "memfd:linn-record" in pathlib.Path(f"/proc/{program.pid}/maps").read_text():
        check(time.monotonic() < deadline, "the hooks stay")
        program.step("work 0 400")
        time.sleep(0.2)
    linn.send_signal(signal.SIGCONT)
    tool.ended(linn)
    check("stood still" in tool.facts()["ending"] and tool.facts()["attached"]["ran_on"], f"{tool.facts()['ending']}")
    found = marked(tool.events())
    check(found["allocation", "malloc", 0] >= 20, f"{found}")
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
    # Sleeping system calls sleep as long as they would have.
    program = subprocess.Popen(["sleep", "6"])
    begun = time.monotonic()
    time.sleep(0.3)
    for _ in range(3):
        tool.ended(tool.attach(program.pid, "-q", "--duration", "0.1", announced=False))
    check(program.wait(30) == 0, "sleep failed")
    check(5.9 < time.monotonic() - begun, "sleep was cut short")


def case_options(tool):
    """--fills, --sample, --depth and --no-follow; a default name; SIGTERM ends it as Ctrl-C does."""
    program = tool.program("steps")
    with tool.recording(program.pid, "--fills"):
        program.step("fill 10")
    check(tool.facts()["recording"]["contents"] == "fills", "not only fills")
    check(tool.facts()["kinds"]["fill"]["count"] == 10, f"{tool.facts()['kinds']}")
    with tool.recording(program.pid, "--sample", "1000"):
        program.step("work 0 100")
    facts = tool.facts()
    check(facts["sample"]["blocks"] >= 400, f"{facts['sample']}")
    with tool.recording(program.pid, "--sample", "1000"):
        program.step("work 0 100")
    check(tool.facts()["sample"]["blocks"] >= 400, "nothing is sampled the second time")
    with tool.recording(program.pid, "--depth", "2"):
        program.step("work 0 10")
    same(marked(tool.events()), worked(0, 10))
    check(tool.facts()["recording"]["depth"] == 2, "not the depth")
    linn = subprocess.Popen([tool.linn, "record", "--no-calibration", "--pid", str(program.pid)], cwd=tool.folder,
                            stderr=subprocess.PIPE, text=True)
    linn.stderr.readline()
    program.step("work 0 1")
    err = tool.detach(linn, by=signal.SIGTERM)
    name = pathlib.Path(tool.programs["counted"]).name + ".linn"
    check((tool.folder / name).exists() and name in err, f"{os.listdir(tool.folder)}: {err}")
    with tool.recording(program.pid):
        program.step("object")
    check("polymorphic" in tool.call("advise", "a.linn", status=0).stdout, "the type is not known")
    program.end()


def case_title(tool):
    """A title that a program writes over its arguments leaves empty ones, which were none."""
    with subprocess.Popen(["cat", "-", "", ""], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        with tool.recording(program.pid, quiet=False):
            pass
        program.stdin.close()
    check(tool.facts()["command"] == ["cat", "-"], f"{tool.facts()['command']}")


def case_twice(tool):
    """Who is recorded already is not recorded again: by another linn, or from its start."""
    program = tool.program("steps")
    first = tool.attach(program.pid)
    done = tool.call("record", "--no-calibration", "--pid", program.pid, "-o", "b.linn", status=1)
    check("recorded already" in done.stderr, done.stderr)
    check(not (tool.folder / "b.linn").exists(), "a trace was written")
    program.step("work 0 10")
    tool.detach(first)
    same(marked(tool.events()), worked(0, 10))
    program.end()
    recorded = Program([tool.linn, "record", "--no-calibration", "--no-baseline", "-q", "-o", tool.folder / "c.linn", "--",
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
input()
"""


def case_refusals(tool):
    """What cannot be attached to is refused with the reason, and is not touched."""
    tool.refuses(["record"], [
        (["--pid", "2147480000"], "must be a whole number"), (["--pid", "999999999"], "there is no process 999999999"),
        (["--pid", "x"], "must be a whole number"), (["--pid", "1", "--wait"], "cannot be combined"),
        (["--pid", "1", "--", "ls"], "leave out PROG"), (["--duration", "1", "--", "ls"], "--duration needs --pid"),
        (["--pid", "1", "--duration", "0"], "--duration must be")])

    def refused(pid, *wanted):
        done = tool.call("record", "--no-calibration", "--pid", pid, "-o", "no.linn", status=1)
        for text in wanted:
            check(text in prose(done.stderr), f"{text!r} is not in {done.stderr!r}")
        check(not (tool.folder / "no.linn").exists(), "a trace was written")

    refused_threads = [line for line in subprocess.run(["ps", "-e", "-o", "pid,ppid"], capture_output=True, text=True).stdout.splitlines()
                       if line.split()[1] == "2"]
    if refused_threads:
        refused(refused_threads[0].split()[0], "a thread of the kernel")
    zombie = subprocess.Popen(["true"])
    time.sleep(0.3)
    refused(zombie.pid, "has ended: it is a zombie")
    zombie.wait()
    stopped = subprocess.Popen(["sleep", "100"])
    time.sleep(0.1)
    stopped.send_signal(signal.SIGSTOP)
    time.sleep(0.1)
    refused(stopped.pid, "is stopped", f"kill -CONT {stopped.pid}")
    stopped.kill()
    stopped.wait()
    for name, text in (("static", "statically linked"), ("sanitized", "AddressSanitizer")):
        if name in tool.programs:
            other = Program([tool.programs[name], "steps"]).wait_ready()
            refused(other.pid, text)
            other.end()
    filtered = subprocess.Popen(["python3", "-c", FILTERED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if filtered.stdout.readline() == "0\n":
        refused(filtered.pid, "has a seccomp filter")
    filtered.communicate("\n")
    if shutil.which("strace"):
        program = tool.program("steps")
        tracer = subprocess.Popen(["strace", "-qq", "-e", "trace=none", "-p", str(program.pid)], stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        if tracer.poll() is None:
            refused(program.pid, "is traced already", "strace")
        tracer.kill()
        tracer.wait()
        program.end()
    if os.geteuid() == 0 and reaches(65534, tool.linn):
        program = tool.program("steps")
        done = subprocess.run([tool.linn, "record", "--pid", str(program.pid), "-o", "/dev/null"], user=65534, capture_output=True,
                              text=True, cwd="/")
        check(done.returncode == 1 and "belongs to root: run linn as root" in done.stderr, f"{done}")
        program.end()
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
            other = Program(["unshare", "-m", tool.programs["counted"], "steps"]).wait_ready()
            refused(other.pid, "in a container")
            other.end()


def reaches(user, program):
    """Whether another user may run the program, which may lie in the home of root."""
    return subprocess.run(["test", "-x", program], user=user, check=False, cwd="/").returncode == 0


class Counted:
    """A program of the system under a counter of its own, which stands where linn would: what it counts from one moment to
    another is what linn must have."""

    def __init__(self, tool, words, script=None, **more):
        self.file = tool.folder / "counts"
        environment = {**os.environ, "LD_PRELOAD": tool.libraries["counter"], "COUNTER_FILE": str(self.file)}
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, **more)

    def counts(self):
        return struct.unpack("3Q", self.file.read_bytes()[:24])

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


def compare(tool, before, after, file="a.linn"):
    kinds = tool.facts(file)["kinds"]
    recorded = (kinds["allocation"]["count"], kinds["reallocation"]["count"], kinds["release"]["count"])
    counted = tuple(b - a for a, b in zip(before, after))
    check(recorded == counted, f"recorded {recorded}, counted {counted}")
    check(counted[0] > 1000, f"only {counted}")
    return counted


def answers(tool, words, line, **more):
    """Records what the program does for one line of standard input."""
    program = Counted(tool, words, **more)
    ready = program.say(line[0])
    time.sleep(0.3)
    linn = tool.attach(program.process.pid)
    before = program.counts()
    answer = program.say(line[1])
    time.sleep(0.3)
    after = program.counts()
    tool.detach(linn)
    out, _ = program.process.communicate(timeout=60)
    check(program.process.returncode == 0, f"{program.process.returncode}: {out}")
    check(ready.strip() == line[2] and answer.strip() == line[3], f"{ready!r} {answer!r}")
    print(compare(tool, before, after))


PYTHON = """
import sys, threading, json, re
def work(n):
    found = [json.loads(json.dumps({"a": [str(i)] * 20, "b": {j: "x" * j for j in range(20)}})) for i in range(n)]
    return len(found)
for line in sys.stdin:
    n = int(line)
    threads = [threading.Thread(target=work, args=(n,)) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    import decimal, sqlite3 if n > 10 else decimal
    print("ran", n, flush=True)
"""


def case_python(tool):
    """Python with eight threads, which loads modules meanwhile; pymalloc off, so that every object counts."""
    skip_without("python3")
    script = PYTHON.replace("import decimal, sqlite3 if n > 10 else decimal", "import decimal, ctypes, csv")
    environment_words = ["/usr/bin/env", "PYTHONMALLOC=malloc", "/usr/bin/python3", "-c", script]
    answers(tool, environment_words, ("1", "200", "ran 1", "ran 200"))


def case_perl(tool):
    skip_without("perl")
    script = 'while(<STDIN>){ chomp; my %h; $h{$_ x 3}="v$_" x 5 for 1..$_; my @s=sort map {"$_-$h{$_}"} keys %h; $|=1; print "ran $_\n" }'
    answers(tool, ["perl", "-e", script], ("10", "3000", "ran 10", "ran 3000"))


def case_sqlite(tool):
    skip_without("sqlite3")
    many = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000) "
            "SELECT count(*) FROM (SELECT group_concat(hex(randomblob(40))) FROM n GROUP BY i ORDER BY 1);")
    answers(tool, ["sqlite3", ":memory:"], ("SELECT 1;", many, "1", "3000"))


def case_sort(tool):
    """A program of eight threads that ends while it is recorded."""
    skip_without("sort")
    program = Counted(tool, ["sort", "--parallel=8", "-S", "40M"], cwd=tool.folder)
    time.sleep(0.3)
    linn = tool.attach(program.process.pid)
    before = program.counts()
    rng = random.Random(3)
    lines = "\n".join(str(rng.random()) for _ in range(300_000))
    out, _ = program.process.communicate(lines, timeout=60)
    tool.ended(linn)
    check(out.splitlines() == sorted(lines.splitlines()), "it is not sorted")
    kinds = tool.facts()["kinds"]
    recorded = (kinds["allocation"]["count"], kinds["reallocation"]["count"], kinds["release"]["count"])
    counted = tuple(b - a for a, b in zip(before, program.counts()))
    check(recorded == counted and counted[0] > 10, f"recorded {recorded}, counted {counted}")
