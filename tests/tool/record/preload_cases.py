# SPDX-License-Identifier: Apache-2.0
"""Exact counts: programs that do a known number of things, recorded."""
import atexit
import collections
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import time

import cases
from cases import check, children_of, rows_of, runs, skip, wait_for

EXCEPTION_POOLS = (72704, 73728)  # of libstdc++, up to GCC 12 and from 13 on


class Recording:
    """The events of a trace, and that nothing is wrong in it."""

    def __init__(self, tool):
        self.data = tool.trace()
        self.processes = self.data["processes"]
        self.alignments = {}
        self.unknown_releases = 0
        self.all = collections.Counter()
        tool.call("trace", tool.file, "--convert", "csv", "-o", "events.csv", status=0)
        live = {}  # (process, address) -> bytes
        with open(tool.folder / "events.csv") as file:
            next(file)
            for line in file:
                _, pid, _, kind, call, address, old, size, alignment, stack = line.split(",")
                size = int(size)
                if kind in ("release", "reallocation"):
                    before = live.pop((pid, address if kind == "release" else old), None)
                    self.unknown_releases += before is None
                    size = before or 0 if kind == "release" else size
                if kind in ("allocation", "reallocation"):
                    check(stack != "0\n", f"{kind} of {size} bytes without a stack")
                    # Of what ran before an exec, only the blocks of marked sizes were released.
                    was_left = self.has_exec(pid) and min(size, live.get((pid, address), 0)) <= 9999
                    check((pid, address) not in live or was_left, f"{size} bytes at a block that is alive")
                    live[pid, address] = size
                    self.alignments[size] = int(alignment)
                self.all[int(pid), kind, call, size] += 1

    def has_exec(self, pid):
        return sum(process["pid"] == int(pid) for process in self.processes) > 1

    def rows(self, process=None, kinds=("allocation", "release", "reallocation", "failure")):
        """(kind, call, size) -> count, of marked sizes; of the process with this place in the trace."""
        found = collections.Counter()
        for (pid, kind, call, size), count in self.all.items():
            if (process is None or pid == self.processes[process]["pid"]) and kind in kinds and size > 9999 and size not in EXCEPTION_POOLS:
                found[kind, call, size] += count
        return found


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.file = folder / "a.linn"

    def command(self, *words, options=("--wait", "--quiet")):
        return [self.linn, "record", "--no-baseline", "-o", str(self.file), *options, "--", *map(str, words)]

    def run(self, *words, program="recorded", status=0, behind=None):
        """Records a program, on top of the allocator `behind`."""
        words = self.programs.get(program, program), *words
        options = "--wait", "--quiet"
        if behind:  # by a shell, since linn itself takes another allocator
            words = "sh", "-c", f'exec env LD_PRELOAD="$LD_PRELOAD:{self.programs[behind]}" "$@"', "sh", *words
        done = subprocess.run(self.command(*words, options=options), capture_output=True, text=True, timeout=100)
        check((done.returncode, done.stdout, done.stderr) == (status, "", ""), f"{done}")
        return Recording(self)

    def start(self, *words):
        """Starts a recording that its first line of input sets going, and stops the recorder meanwhile."""
        child = subprocess.Popen(self.command("sh", "-c", 'echo; read x; exec "$@"', "sh", *words), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        atexit.register(child.kill)  # where the case fails, it stands still
        child.stdout.readline()
        child.send_signal(signal.SIGSTOP)
        print(file=child.stdin, flush=True)
        return child

    def waiting(self, child):
        """The program of a recorder that stands still; it waits for it, and has not ended."""
        (pid,) = children_of(child.pid)
        check(runs(pid), "it does not wait")
        return pid

    def trace(self):
        data = json.loads(self.call("trace", self.file, "--json", "-", status=0).stdout)
        check(data["whole"] and data["dropped"] == 0, f"{data['damage']}, {data['dropped']} dropped")
        return data

    def counts(self):
        """How many blocks were allocated and released: for what is too much to be looked at one by one."""
        kinds = self.trace()["kinds"]
        return kinds["allocation"]["calls"]["malloc"], kinds["release"]["calls"]["free"]


def pairs(**counts):
    """Expected rows of malloc and free: size_N=count."""
    expected = collections.Counter()
    for size, count in counts.items():
        expected["allocation", "malloc", int(size[1:])] = count
        expected["release", "free", int(size[1:])] = count
    return expected


def same(found, expected, what=""):
    check(found == expected, f"{what}: too many {dict(found - expected)}, too few {dict(expected - found)}")


def case_calls(tool):
    expected = pairs(_10001=3, _40006=3)
    for call, size in (("calloc", 10002), ("realloc", 10003), ("realloc", 10004), ("aligned", 10005),
                       ("aligned", 10112), ("aligned", 10007), ("aligned", 10008), ("aligned", 10009)):
        expected["allocation", call, size] += 3
        expected["release", "free", size] += 3
    expected["allocation", "malloc", 20001] = 1
    for size in (20002, 2000003, 20004):
        expected["reallocation", "realloc", size] = 1
    expected["release", "realloc", 20004] = 1
    done = tool.run("calls")
    same(done.rows(), expected)
    check([done.alignments[size] for size in (10001, 10005, 10112, 10007, 10008)] == [0, 64, 128, 256, 4096], f"{done.alignments}")


def operator_rows():
    expected = pairs(_40006=3)
    for size in range(11001, 11013):
        is_array = size % 2 == 0
        is_aligned = size in (11005, 11006, 11007, 11008, 11011, 11012)
        call = ("new[]" if is_array else "new") + (" aligned" if is_aligned else "")
        expected["allocation", call, size] = 2
        expected["release", "delete[]" if is_array else "delete", size] = 2
    return expected


def case_operators(tool):
    same(tool.run("operators").rows(), operator_rows())


def case_failures(tool):
    """What fails fails as before, new handlers and exceptions included, and is one event."""
    huge = 2**63 - 1 - 4096
    expected = pairs(_30001=1, _30002=1, _40006=3)
    for call, size, count in (("malloc", huge, 1), ("calloc", 2**64 - 1, 1), ("realloc", huge, 1),
                              ("realloc", 2**64 - 1, 1), ("new", huge, 4), ("new[]", huge, 2),
                              ("new aligned", huge, 2)):
        expected["failure", call, size] = count
    same(tool.run("failures").rows(), expected)


def case_thousand_threads(tool):
    done = tool.run("many_at_once", 1000)
    same(done.rows(), pairs(_40001=20000, _40006=3))
    check(len(done.data["threads"]) == 1001, f"{len(done.data['threads'])} threads")
    check(done.unknown_releases == 0, "a release of nothing")


def case_short_threads(tool):
    """A thread hands its chunk over when it ends: thousands of them need few chunks, and so few addresses."""
    done = tool.run("-c", 'ulimit -v 30000; exec "$0" one_after_another 3000', tool.programs["recorded"], program="sh")
    same(done.rows(), pairs(_40004=6000, _40006=3))


def case_thread_ends(tool):
    """What destructors of thread_local objects and of keys do, also behind the recorder's own."""
    done = tool.run("thread_ends")
    same(done.rows(), pairs(_40001=5, _40002=5, _40003=20, _40006=3))
    check("late-one" in [thread["name"] for thread in done.data["threads"]], f"{done.data['threads']}")


def case_alive_at_exit(tool):
    same(tool.run("alive_at_exit", 0).rows(), pairs(_40001=80, _40006=3), "exit")
    same(tool.run("alive_at_exit", 1, status=7).rows(), pairs(_40001=80), "_exit")


def case_fork_tree(tool):
    done = tool.run("fork_tree", 3)
    check(len(done.processes) == 15, f"{len(done.processes)} processes")
    for number, process in enumerate(done.processes):
        same(done.rows(number), pairs(_50001=5, _50002=5, **({} if number else {"_40006": 3})), f"process {number}")
        check(process["began"] == ("fork" if number else "start"), f"{process}")
    parents = [process["parent"] for process in done.processes]
    check(parents == [0, 0, 1, 2, 2, 1, 5, 5, 0, 8, 9, 9, 8, 12, 12], f"{parents}")


def case_raw_fork(tool):
    """A process that the C library does not know of must not write into its parent's chunk either."""
    done = tool.run("raw_fork")
    same(done.rows(0), pairs(_50001=5, _50002=5, _50003=5, _40006=3), "parent")
    same(done.rows(1), pairs(_50003=5), "child")


def case_fork_with_threads(tool):
    done = tool.run("fork_with_threads")
    same(done.rows(0), pairs(_40001=80, _40006=3), "parent")
    for child in range(1, 6):
        same(done.rows(child), pairs(_50004=10, _50005=10), f"child {child}")


def case_vfork_and_spawn(tool):
    done = tool.run("vfork_and_spawn")
    same(done.rows(0), pairs(_50001=10, _50002=10, _50006=5, _40006=3), "parent")
    check(len(done.processes) == 11, f"{len(done.processes)} processes")
    for child in range(1, 11):
        same(done.rows(child), pairs(_50008=1, _40006=3), f"child {child}")


def case_exec_chain(tool):
    done = tool.run("exec_chain", 5)
    check([process["began"] for process in done.processes] == ["start", *["exec"] * 5], f"{done.processes}")
    check(all(process["events"] >= 8 for process in done.processes), f"{done.processes}")
    same(done.rows(), pairs(_50007=24, _40006=3))


def case_signals(tool):
    """Handlers that allocate, at any instruction of the recorder, on the same stack and on another."""
    for other_stack in (0, 1):
        done = tool.run("signal_handlers", other_stack, behind="bump")
        found = done.rows()
        handled = found["allocation", "malloc", 60003]
        rounds, rest = divmod(found["allocation", "malloc", 60001], 1000)
        check(handled >= 300 and rest == 0, f"{handled} signals, {found['allocation', 'malloc', 60001]} pairs")
        # A signal may come between the last count and the end of the timer.
        in_handlers = found["allocation", "malloc", 60002]
        check(in_handlers - 3 * handled in (0, 3), f"{in_handlers} in {handled} handlers")
        same(found, pairs(_60001=1000 * rounds, _60002=in_handlers, _60003=handled, _40006=3))
        check(done.unknown_releases == 0, "a release of nothing")


def case_longjmps(tool):
    """Handlers that jump out of what they interrupted, the recorder included, and the recorder goes on."""
    found = tool.run("longjmps", behind="bump").rows()
    got = found.pop(("allocation", "malloc", 60001))
    given = found.pop(("release", "free", 60001))
    check(0 <= got - given <= 200, f"{got} blocks, {given} given back, with 200 jumps")
    same(found, pairs(_60002=200, _60004=1000, _40006=3))


def case_forks_in_handlers(tool):
    # Children that run at the same time as their parent take chunks that were their parent's.
    for others in (0, 16_000):
        done = tool.run("forks_in_handlers", others, behind="bump")
        check(len(done.processes) == 43, f"{len(done.processes)} processes")
        for child in range(3, 43):  # behind the shell, env and the program
            found = done.rows(child)
            for size, count in ((60005, 2), (60006, others or 10)):
                for key in (("allocation", "malloc", size), ("release", "free", size)):
                    check(found[key] == count, f"child {child}: {found[key]} of {key}")


def case_forks_in_ends(tool):
    """A handler forks while its thread ends: the child, which ends the same thread, lives to its end."""
    tool.run("forks_in_ends", 200, behind="bump")


def case_plugins(tool):
    """Two libraries that are mapped at the same place in turn: each block is of the library that was there."""
    done = tool.run("plugins", tool.programs["plugin_a"], tool.programs["plugin_b"])
    same(done.rows(), pairs(_71001=100, _71002=100, _40006=3))
    stacks = rows_of(tool.call("trace", tool.file, "--convert", "csv-stacks").stdout)
    found = {(s["frames"].split(" ")[0], int(s["bytes"]), int(s["allocations"])) for s in stacks}
    check({(f"allocate<{size}>", 100 * size, 100) for size in (71001, 71002)} <= found, found)


def case_c_program(tool):
    done = tool.run(program="in_c")
    same(done.rows(), pairs(_110001=10))
    check(not any("libstdc++" in module["path"] for module in done.data["modules"]), "a C++ runtime was loaded")
    needed = subprocess.run(["readelf", "-d", tool.programs["library"]], capture_output=True, text=True, check=True).stdout
    libraries = set(re.findall(r"NEEDED.*\[(.*)\]", needed))
    check(all(re.match(r"(libc|ld-linux.*|libdl|libpthread)\.so", name) for name in libraries), f"{libraries}")
    exported = subprocess.run(["nm", "-D", "--defined-only", tool.programs["library"]], capture_output=True, text=True,
                              check=True).stdout.split()
    others = [name for name in exported if "linn" in name]
    check(others == ["linn_attach_door"], f"more is exported than the hooks: {others}")


def case_c_program_with_cxx_plugin(tool):
    """The C++ runtime comes later, where RTLD_NEXT does not look; its bad_alloc is thrown all the same."""
    expected = pairs(_110001=10)
    expected["allocation", "new[]", 112000] = 7
    expected["release", "delete[]", 112000] = 7
    expected["failure", "new", 2**63 - 1 - 4096] = 1
    same(tool.run(tool.programs["cxx_plugin"], program="in_c").rows(), expected)


def case_own_operators(tool):
    """A program's own operator new stays in place; its malloc is seen, and nothing else."""
    expected = collections.Counter()
    for size in (120001, 120002, 120003):
        expected["allocation", "malloc", size + 32] = 6
        expected["release", "free", size + 32] = 6
    same(tool.run("-c", 'exec "$0"', tool.programs["own_operators"], program="sh").rows(), expected)


def case_other_allocator(tool):
    """On top of a preloaded allocator: its malloc, and its operator new as one event each."""
    same(tool.run("operators", behind="bump").rows(), operator_rows())
    expected = operator_rows()
    for key in list(expected):
        # That allocator has no aligned and no array operator new of its own: the library's, on top of its plain one.
        if key[2] in (11002, 11004, 11010):
            del expected[key]
            expected["allocation", "new", key[2]] = 2
            expected["release", "delete", key[2]] = 2
    same(tool.run("operators", behind="few_operators").rows(), expected)


def case_real_allocators(tool):
    """With an allocator of the distribution, whichever is there."""
    tried = 0
    for name in ("libjemalloc.so.2", "libmimalloc.so.2", "libtcmalloc_minimal.so.4"):
        for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"):
            if (path := pathlib.Path(folder) / name).exists():
                tool.programs[name] = str(path)
                tried += 1
                done = tool.run("operators", behind=name)
                same(done.rows(), operator_rows(), name)
                break
    print(f"{tried} allocators")


def case_killed(tool):
    """SIGKILL at any moment: what was finished is there, and at most one event a thread more."""
    rng = random.Random(5)
    for _ in range(3):
        file = tool.folder / "done"
        file.write_bytes(bytes(4096))
        child = subprocess.Popen(tool.command(tool.programs["recorded"], "until_killed", file))
        while struct.unpack("Q", file.read_bytes()[:8])[0] == 0:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.005))
        for pid in children_of(child.pid):
            os.kill(int(pid), signal.SIGKILL)
        check(child.wait(timeout=100) == 128 + signal.SIGKILL, f"exit status {child.returncode}")
        found = Recording(tool).rows()
        finished = sum(struct.unpack("8Q" * 3, file.read_bytes()[:192])[::8])
        for key in (("allocation", "malloc", 90001), ("release", "free", 90001)):
            check(finished <= found[key] <= finished + 3, f"{found[key]} of {key}, {finished} were finished")


def case_nobody_collects(tool):
    """A collector that stands still stops no program while the ring has room. Then the program waits, and nothing is lost."""
    for pairs_, has_room in ((3_000_000, True), (12_000_000, False)):
        done = tool.folder / str(pairs_)
        child = tool.start("sh", "-c", '"$0" pairs "$1"; : > "$2"', tool.programs["recorded"], pairs_, done)
        if has_room:
            wait_for(done.exists, "the program")
        else:
            time.sleep(3)
            tool.waiting(child)
        child.send_signal(signal.SIGCONT)
        check(child.wait(timeout=100) == 0, "the exit status")
        check(all(pairs_ <= count < pairs_ + 10_000 for count in tool.counts()), tool.counts())


def case_collector_gone(tool):
    """The program waits for a recorder that stands still for long, and goes on without one that was killed."""
    child = tool.start(tool.programs["recorded"], "pairs", "12000000")
    time.sleep(12)
    pid = tool.waiting(child)
    child.kill()
    child.wait()
    try:
        wait_for(lambda: not runs(pid), "the end of the program")
    finally:
        if runs(pid):
            os.kill(int(pid), signal.SIGKILL)


def case_unusable(tool):
    """Where there is nothing to record into, the program runs as if nothing were loaded."""
    (tool.folder / "foreign").write_bytes(b"no ring" * 10000)
    for value in (None, "", "/nonexistent", str(tool.folder / "foreign"), str(tool.folder), "x" * 5000):
        environment = {**os.environ, "LD_PRELOAD": tool.programs["library"]}
        if value is not None:
            environment["LINN_RECORD"] = value
        for words, status in ((["operators"], 0), (["failures"], 0), (["fork_tree", "2"], 0), (["calls"], 0)):
            done = subprocess.run([tool.programs["recorded"], *words], env=environment, capture_output=True, text=True,
                                  timeout=60)
            check((done.returncode, done.stdout, done.stderr) == (status, "", ""), f"{value}: {done}")
    for mib in (150, 273, 280, 1045, 2070):  # what is shared leaves linn room
        words = "sh", "-c", f'ulimit -v {mib << 10}; exec "$@"', "sh", *tool.command(tool.programs["recorded"], "calls")
        check(subprocess.run(words, capture_output=True, timeout=60).returncode == 0, f"{mib} MiB")
    few = subprocess.run(tool.command("sh", "-c", 'ulimit -n 4; exec "$0" calls', tool.programs["recorded"]), capture_output=True,
                         text=True, timeout=60)
    check((few.returncode, "events were lost" in few.stderr) in ((0, False), (1, True)), f"{few}")


def case_loops_are_small(tool):
    """Bytes an event."""
    data = tool.run("pairs", 100000).data
    check(data["file_bytes"] <= 1.2 * data["events"], f"{data['file_bytes']} bytes, {data['events']} events")


def case_instructions(tool):
    """What a recorded pair of malloc and free executes, of the recorder alone; by callgrind, so the same everywhere with
    the same compiler. A number that grows is a slower recorder: say why in the commit that changes it."""
    if "optimized" not in tool.programs:
        skip("this build of the recorder is not the one that users have")
    each = tool.instructions_of_recorder(4000, tool.programs["recorded"], "pairs")
    check(60 < each <= 440, f"{each} instructions a pair: with fewer than 60 nothing is recorded, and 440 are allowed")
