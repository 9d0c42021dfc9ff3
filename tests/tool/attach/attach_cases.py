# SPDX-License-Identifier: Apache-2.0
"""linn record --pid: exact counts from the moment of the attachment, and a program that is left as it was."""
import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import cases
from cases import check, prose, rows_of, skip, wait_for

MARKED = 200_000  # sizes of steps: nothing else has such

# Executes each line that it is given. `counted` is the library whose functions allocate.
DRIVER = """
import _ctypes, ctypes, os, signal, sys, threading, time
def in_threads(count, *work):
    threads = [threading.Thread(target=counted.work, args=work) for _ in range(count)]
    [t.start() for t in threads]
    [t.join() for t in threads]
handled = []
signal.signal(signal.SIGUSR1, lambda *_: handled.append(1))
counted = ctypes.CDLL(sys.argv[1])
counted.take.restype = ctypes.c_void_p
counted.give.argtypes = [ctypes.c_void_p]
print("ready", flush=True)
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
sys.exit(7)
"""


class Program:
    """A child that says `ready`, and `done` after each line that it was given."""

    def __init__(self, words, **more):
        self.process = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **more)
        self.pid = self.process.pid
        check(self.process.stdout.readline() == "ready\n", "the program did not become ready")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def step(self, line):
        """What the program says of it: a line at most."""
        said = self.send(line)
        check(said == "done" or self.process.stdout.readline() == "done\n", f"{line} was not done: {said}")
        return said


class Tool(cases.Tool):
    @contextlib.contextmanager
    def program(self, before=(), status=7, **more):
        program = Program([*before, sys.executable, "-c", DRIVER, self.programs["counted"]], **more)
        yield program
        _, err = program.process.communicate(timeout=60)
        check(program.process.returncode == status and err == "", f"exit status {program.process.returncode}, not {status}: {err}")

    def attach(self, pid, *options, file="a.linn"):
        """A linn that records; it is attached when this returns."""
        linn = self.start("record", "--pid", pid, *(["-o", file] if file else []), *options)
        line = "attached to" if "-q" in options else linn.stderr.readline()
        if "may not be traced" in line:
            skip("this system does not let one trace another process")
        check("attached to" in line, line)
        return linn

    def ended(self, linn, by=None):
        if by is not None:
            linn.send_signal(by)
        _, err = linn.communicate(timeout=60)
        check(linn.returncode == 0, f"exit status {linn.returncode}: {err}")
        return err

    def attach_for(self, seconds, pid, file="a.linn"):
        self.ended(self.attach(pid, "-q", "--duration", seconds, file=file))

    @contextlib.contextmanager
    def recording(self, pid, *options, quiet=True):
        linn = self.attach(pid, *options)
        yield linn
        err = self.ended(linn, signal.SIGINT)
        check(not quiet or "warning" not in err, err)

    def refused(self, pid, wanted, *options):
        """It is not recorded, for this reason, and no trace is written."""
        done = self.call("record", "--pid", pid, "-o", "no.linn", *options, status=1)
        check(wanted in prose(done.stderr), done.stderr)
        check(not (self.folder / "no.linn").exists(), "a trace was written")

    def every_event(self, file="a.linn"):
        return rows_of(self.call("trace", file, "--convert", "csv", status=0).stdout)

    def events(self):
        """(kind, call, bytes) -> count, of marked sizes."""
        return collections.Counter((event["event"], event["call"], int(event["bytes"]) - MARKED) for event in self.every_event()
                                   if MARKED <= int(event["bytes"]) < 2 * MARKED)

    def has(self, expected, what=""):
        found = self.events()
        check(found == expected, f"{what}: too many {dict(found - expected)}, too few {dict(expected - found)}")

    def result(self, command="trace", *words):
        return json.loads(self.call(command, "a.linn", *words, "--json", "-", status=0).stdout)


def mapped(pid):
    return pathlib.Path(f"/proc/{pid}/maps").read_text()


def is_without_ring(program):
    """Waits until the hooks have removed themselves, which they do when the program allocates."""
    wait_for(lambda: program.step("counted.work(0, 400)") and "memfd:linn-record" not in mapped(program.pid), "no shared memory")


def worked(size, count):
    """What counted.work(size, count) does."""
    return collections.Counter({("allocation", "malloc", size): count, ("reallocation", "realloc", size + 1): count,
                                ("allocation", "calloc", size + 2): count, ("allocation", "new[]", size + 3): count,
                                ("allocation", "aligned", size + 4): count})


def case_counts(tool):
    """Each call is recorded once, with its name; what came before is not, what comes after the end is not. With another allocator too.
    Blocks from before are no leaks, what is live is none, and a budget is not proven."""
    for allocator in ("", *map(str, pathlib.Path("/usr/lib").glob("*/libjemalloc.so.2"))):
        with tool.program(env=os.environ | {"LD_PRELOAD": allocator}) as program:
            program.step("counted.work(0, 5); kept = [counted.take() for _ in range(3)]")
            with tool.recording(program.pid):
                program.step("counted.work(0, 100); [counted.give(block) for block in kept]; kept = [counted.take() for _ in range(5)]")
                program.step("in_threads(8, 0, 500)")  # that begin after the attachment
            program.step("counted.work(0, 7)")
            tool.has(worked(0, 4100) + collections.Counter({("allocation", "malloc", 50): 5}), allocator)
            check(tool.result()["kinds"]["release"]["count"] >= 4 * 4100 + 3, tool.result()["kinds"])
    advice = tool.result("advise")
    check(advice["unknown_releases"] >= 3, "the releases of blocks from before are not told")
    check([f["kind"] for f in advice["findings"] if f["count"] == 5] == ["live"], f"{advice['findings']}")
    check("never released" not in prose(tool.call("trace", "a.linn", "--leaks", status=0).stdout), "what is live is a leak")
    check(tool.result("trace", "--leaks")["ran_on"] is True, "ran_on")
    (tool.folder / "budget.toml").write_text("linn_budgets = 1\n[[budget]]\nallocations = 1_000_000\n")
    check("nothing is proven" in prose(tool.call("check", "budget.toml", "a.linn").stdout), "check does not say so")


def case_busy(tool):
    """Threads that allocate all the time, before and after: of none is an event missing in between."""
    for threads in (1, 8):
        with tool.program() as program:
            program.step(f"counted.be_busy({threads})")
            for file in ("a.linn", "b.linn"):
                tool.attach_for(0.05, program.pid, file)
            program.step("counted.rest()")
        for file in ("a.linn", "b.linn"):  # now that nothing keeps the processors busy
            last, blocks = {}, 0
            for event in tool.every_event(file):
                if event["event"] == "allocation" and event["call"] == "malloc" and 1000 <= int(event["bytes"]) < 1977:
                    thread, size = event["thread"], int(event["bytes"]) - 1000
                    check(last.get(thread, size - 1) % 977 == (size - 1) % 977, f"{thread}: {size} after {last.get(thread)}")
                    last[thread] = size
                    blocks += 1
            check(blocks > 100 and (len(last) == threads or os.getloadavg()[0] > 4), f"{blocks} blocks of {len(last)} threads")


def case_hundred_times(tool):
    """A hundred attachments leave a program as it was: no file, thread or mapping more than after the first."""
    with tool.program() as program:
        program.step("counted.be_busy(2)")
        for _ in range(25):
            tool.attach_for(0.001, program.pid)
        program.step("counted.rest()")
        states = []
        for i in range(75):
            tool.attach_for(0.001, program.pid)
            program.step("counted.work(0, 3)")
            if i in (5, 74):
                process = pathlib.Path("/proc", str(program.pid))
                states.append([len(os.listdir(process / "fd")), len(os.listdir(process / "task")), mapped(program.pid).count("\n")])
        check(states[0] == states[1], f"{states}")


def case_killed(tool):
    """kill -9 of linn at any moment: the program goes on, soon without a hook and the shared memory, and can be recorded again."""
    rng = random.Random(7)
    with tool.program() as program:
        for busy in (0, 2):
            program.step(f"counted.be_busy({busy})")
            for _ in range(25):
                linn = tool.attach(program.pid, "-q")
                time.sleep(rng.uniform(0.005, 0.25))
                linn.kill()
                linn.communicate()
                check(program.process.poll() is None, f"the program ended: {program.process.returncode}")
                program.step("in_threads(2, 0, 400)")
            is_without_ring(program)
            with tool.recording(program.pid, quiet=busy == 0):
                program.step("counted.work(0, 10)")
            tool.has(worked(0, 10))
        program.step("counted.rest()")


def case_libraries(tool):
    """A library that the program loads meanwhile works, is not recorded, and is named. So does one that the loader is relocating
    when linn attaches."""
    with tool.program(cwd=tool.folder) as program:
        late = shutil.copy(tool.programs["counted"], tool.folder / "late.so")
        hold = tool.folder / "hold"
        hold.touch()
        program.process.stdin.write(f"late = ctypes.CDLL('{late}')\n")
        program.process.stdin.flush()
        time.sleep(0.3)
        linn = tool.attach(program.pid)
        hold.unlink()
        check(program.process.stdout.readline() == "done\n", "the library was not loaded")
        program.step("late.work(100, 10); counted.work(0, 5)")
        later = shutil.copy(late, tool.folder / "later.so")
        program.step(f"later = ctypes.CDLL('{later}'); later.work(100, 10); _ctypes.dlclose(late._handle)")
        err = tool.ended(linn, signal.SIGINT)
        check("not in the trace" in prose(err) and str(later) in err, err)
        found = tool.events()
        check(all(found[key] == n for key, n in worked(0, 5).items()) and found["allocation", "malloc", 100] == 0, f"{found}")


def case_unmapped(tool):
    """A library is unmapped meanwhile, and the one in its place has a hole where the slots were."""
    with tool.program() as program:
        first, second = (shutil.copy(tool.programs["counted"], tool.folder / f"{name}.so") for name in ("first", "second"))
        program.step(f"first = ctypes.CDLL('{first}')")
        program.step("protect = ctypes.CDLL(None).mprotect; protect.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]")

        def data_of(library):
            lines = [line.split() for line in mapped(program.pid).splitlines() if line.endswith(str(library))]
            return [tuple(int(end, 16) for end in line[0].split("-")) for line in lines[-2:]]

        place = data_of(first)
        linn = tool.attach(program.pid)
        program.step(f"_ctypes.dlclose(first._handle); second = ctypes.CDLL('{second}')")
        if data_of(second) != place:
            skip("the loader put the other library elsewhere")
        program.step("; ".join(f"protect({begin}, {end - begin}, 0)" for begin, end in place))
        check("could not be taken out" not in tool.ended(linn, signal.SIGINT), "the recorder stayed")
        program.step("; ".join(f"protect({begin}, {end - begin}, 3)" for begin, end in place))


def case_forks(tool):
    """Children are recorded too, and a child that lives on is left as it was."""
    with tool.program() as program:
        with tool.recording(program.pid):
            check(program.step("os.fork() or (counted.work(100, 50), os._exit(0)); print(os.wait()[1], flush=True)") == "0", "the child failed")
            child = int(program.step("child = os.fork(); print(child, flush=True) if child else [(counted.work(200, 1), time.sleep(0.001)) for _ in iter(int, 1)]"))
            time.sleep(0.3)
        found = tool.events()
        check(all(found[key] == n for key, n in worked(100, 50).items()), f"{found}")
        check(found["allocation", "malloc", 200] > 0, "nothing of the child that lives on")
        check(len(tool.result()["processes"]) == 3, "not three processes")
        time.sleep(2)
        check("memfd:linn-record" not in mapped(child), "the child still has the shared memory")
        os.kill(child, signal.SIGKILL)


def case_ends(tool):
    """All up to the end, by itself, by SIGKILL, or by another program, which is not disturbed."""
    ended = "the program ended"
    for last, said, status, ending in (
            ("sys.exit(7)", "", 7, ended), ("os.kill(os.getpid(), 9)", "", -9, ended),
            ("os.execlp('sh', 'sh', '-c', 'echo executed; read line; exit 5')", "executed", 5, "the program executed another one")):
        with tool.program(status=status) as program:
            linn = tool.attach(program.pid)
            program.step("counted.work(0, 20)")
            check(program.send(last) == said, f"{last} was not done")
            tool.ended(linn)
            tool.has(worked(0, 20) + collections.Counter({("allocation", "malloc", 100_002): status == 7}), last)
            check(tool.result()["ending"] == ending, tool.result()["ending"])


def case_linn_stands_still(tool):
    """A linn that was stopped for more than ten seconds is not waited for; when it goes on, it says so."""
    with tool.program() as program:
        linn = tool.attach(program.pid)
        program.step("counted.work(0, 20)")
        linn.send_signal(signal.SIGSTOP)
        is_without_ring(program)
        tool.ended(linn, signal.SIGCONT)
        check("stood still" in tool.result()["ending"] and tool.result()["attached"]["ran_on"], f"{tool.result()['ending']}")
        check(tool.events()["allocation", "malloc", 0] >= 20, f"{tool.events()}")


def case_signals(tool):
    """Signals reach the program while linn attaches and detaches, each once."""
    with tool.program() as program:
        sent = 0
        for _ in range(10):
            linn = tool.attach(program.pid, "-q", "--duration", "0.05")
            while linn.poll() is None:
                os.kill(program.pid, signal.SIGUSR1)
                sent += 1
                time.sleep(0.002)
            tool.ended(linn)
        handled = int(program.step("print(len(handled), flush=True)"))
        check(1 < handled <= sent, f"{handled} of {sent} signals")  # equal ones that wait are one


def case_waits(tool):
    """linn attaches while all threads wait, and system calls wait as long as they would have."""
    waits = ("time.sleep(8)", "threading.Event().wait(8)", "select.select([], [], [], 8)", "threading.Timer(8, int).start()",
             "e = select.epoll(); exit(ctypes.CDLL(None).epoll_wait(e.fileno(), bytes(16), 1, 8000))")
    begun = time.monotonic()
    programs = [subprocess.Popen([sys.executable, "-c", f"import ctypes, select, threading, time; print(flush=True); {wait}"],
                                 stdout=subprocess.PIPE) for wait in waits]
    for program in programs:
        program.stdout.readline()
        time.sleep(0.1)
        tool.attach_for(0.1, program.pid)
    for program, wait in zip(programs, waits):
        check(program.wait(30) == 0 and time.monotonic() - begun > 8, f"{wait} failed or was cut short")


def case_options(tool):
    """A sample, twice; a default name; SIGTERM ends it as Ctrl-C does."""
    with tool.program() as program:
        for _ in range(2):
            with tool.recording(program.pid, "--sample", "1000"):
                program.step("counted.work(0, 100)")
            check(tool.result()["sample"]["blocks"] >= 400, f"{tool.result()['sample']}")
        tool.ended(tool.attach(program.pid, file=None), signal.SIGTERM)
        check((tool.folder / (pathlib.Path(sys.executable).resolve().name + ".linn")).exists(), f"{os.listdir(tool.folder)}")


def case_twice(tool):
    """A program that is recorded already is not recorded again: by another linn, or from its start."""
    with tool.program() as program:
        with tool.recording(program.pid):
            for option in ("-q", "--sample=1000"):
                tool.refused(program.pid, "recorded already", option)
            program.step("counted.work(0, 10)")
        tool.has(worked(0, 10))
    with tool.program([tool.linn, "record", "--no-baseline", "-q", "-o", tool.folder / "c.linn", "--"]) as recorded:
        tool.refused(recorded.step("print(os.getpid(), flush=True)"), "was started by linn record")


def case_refusals(tool):
    """What cannot be attached to is refused with the reason, and is not touched."""
    tool.refuses(["record"], [
        (["--pid", "2147480000"], "must be a whole number"), (["--pid", "999999999"], "there is no process 999999999"),
        (["--pid", "1", "--wait"], "cannot be combined"),
        (["--pid", "1", "--", "ls"], "leave out PROG"), (["--pid", "1", "--for", "3"], "unknown option '--for'"),
        (["--duration", "1", "--", "ls"], "--duration needs --pid"),
        (["--pid", "1", "--duration", "0"], "--duration must be")])

    with tool.program() as program:
        os.kill(program.pid, signal.SIGSTOP)
        time.sleep(0.1)
        tool.refused(program.pid, f"is stopped: let it go on first, with kill -CONT {program.pid}")
        os.kill(program.pid, signal.SIGCONT)
        # A filter that allows everything.
        program.step("import struct; prctl, text = ctypes.CDLL(None).prctl, ctypes.create_string_buffer; rule = text(struct.pack('HBBI', 6, 0, 0, 0x7fff0000))")
        if program.step("prctl(38, 1, 0, 0, 0); print(prctl(22, 2, text(struct.pack('HxxxxxxP', 1, ctypes.addressof(rule)))), flush=True)") == "0":
            tool.refused(program.pid, "has a seccomp filter")
    if os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0:
        with tool.program(["unshare", "-m"]) as contained:
            tool.refused(contained.pid, "in a container")
