# SPDX-License-Identifier: Apache-2.0
"""Exact counts: programs that do a known number of things, recorded without the collector."""
import collections
import json
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import time

import cases
from cases import check, skip, skip_without

EXCEPTION_POOLS = (72704, 73728)  # of libstdc++, up to GCC 12 and from 13 on


class Recording:
    """What ring_reader says, and that nothing is wrong in it."""

    def __init__(self, data):
        self.data = data
        check(data["problems"] == [], f"problems {data['problems']}")
        check(data["allocated_twice"] == 0, f"{data['allocated_twice']} blocks that were got while they lived")
        check(data["undefined_stacks"] == 0, f"{data['undefined_stacks']} events of undefined stacks")
        for image in data["images"]:
            check(image["descriptions"] == 1, f"image {image['image']} described {image['descriptions']} times")

    def rows(self, image=None, kinds=("allocation", "release", "reallocation", "failure")):
        """(kind, call, size) -> count, of marked sizes."""
        found = collections.Counter()
        for of, kind, call, size, _, count in self.data["rows"]:
            if (image is None or of == image) and kind in kinds and size > 9999 and size not in EXCEPTION_POOLS:
                found[kind, call, size] += count
        return found

    def alignments(self):
        return {size: alignment for _, kind, _, size, alignment, _ in self.data["rows"] if kind == "allocation"}


class Tool(cases.Tool):
    def command(self, words, options=()):
        return [self.programs["ring_reader"], self.programs["library"], *options, "--", *words]

    def run(self, *words, program="recorded", options=(), status=0, preload=None):
        environment = dict(os.environ)
        if preload:
            environment["LINN_TEST_PRELOAD"] = self.programs[preload]
        command = self.command([self.programs[program], *map(str, words)], options)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100)
        check(done.returncode == 0, f"ring_reader failed: {done.stderr}")
        check(done.stderr == "", f"the program said {done.stderr}")
        text = done.stdout
        data = json.loads(text[text.index('{"status"'):])
        check(data["status"] == status, f"wait status {data['status']} in place of {status}")
        return Recording(data)


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
    alignments = done.alignments()
    check([alignments[size] for size in (10001, 10005, 10112, 10007, 10008)] == [0, 6, 7, 8, 12], f"{alignments}")


def operator_rows():
    expected = pairs(_40006=3)
    for size in range(11001, 11013):
        is_array = size % 2 == 0
        is_aligned = size in (11005, 11006, 11007, 11008, 11011, 11012)
        call = ("new[]" if is_array else "new") + ("_aligned" if is_aligned else "")
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
                              ("new_aligned", huge, 2)):
        expected["failure", call, size] = count
    same(tool.run("failures").rows(), expected)


def case_thousand_threads(tool):
    done = tool.run("many_at_once", 1000)
    same(done.rows(), pairs(_40001=20000, _40006=3))
    check(done.data["images"][0]["threads"] == 1001, f"{done.data['images'][0]['threads']} threads")
    check(done.data["unknown_releases"] == 0, "a release of nothing")


def case_short_threads(tool):
    """A thread hands its chunk over when it ends: 300 of them need few chunks at a time."""
    done = tool.run("one_after_another", 300, options=("--collect", "--chunks", "16"))
    same(done.rows(), pairs(_40004=600, _40006=3))
    check(done.data["owned_at_end"] == 1, f"{done.data['owned_at_end']} chunks were kept")


def case_thread_ends(tool):
    """What destructors of thread_local objects and of keys do, also behind the recorder's own."""
    done = tool.run("thread_ends")
    same(done.rows(), pairs(_40001=5, _40002=5, _40003=20, _40006=3))
    check("late-one" in done.data["images"][0]["names"], f"{done.data['images'][0]['names']}")


def case_alive_at_exit(tool):
    same(tool.run("alive_at_exit", 0).rows(), pairs(_40001=80, _40006=3), "exit")
    same(tool.run("alive_at_exit", 1, status=7 << 8).rows(), pairs(_40001=80), "_exit")


def case_fork_tree(tool):
    done = tool.run("fork_tree", 3)
    images = {image["image"]: image for image in done.data["images"]}
    check(len(images) == 15, f"{len(images)} images")
    for number, image in images.items():
        expected = pairs(_50001=5, _50002=5)
        if number == 1:
            expected += pairs(_40006=3)
        same(done.rows(number), expected, f"image {number}")
        check(image["origin"] == (0 if number == 1 else 1), f"{image}")
        check((image["parent"] in images) == (number != 1), f"{image}")


def case_raw_fork(tool):
    """A process that the C library does not know of must not write into its parent's chunk either."""
    done = tool.run("raw_fork")
    same(done.rows(1), pairs(_50001=5, _50002=5, _50003=5, _40006=3), "parent")
    same(done.rows(2), pairs(_50003=5), "child")


def case_fork_with_threads(tool):
    done = tool.run("fork_with_threads")
    same(done.rows(1), pairs(_40001=80, _40006=3), "parent")
    for image in range(2, 7):
        same(done.rows(image), pairs(_50004=10, _50005=10), f"child {image}")


def case_vfork_and_spawn(tool):
    done = tool.run("vfork_and_spawn")
    same(done.rows(1), pairs(_50001=10, _50002=10, _50006=5, _40006=3), "parent")
    check(len(done.data["images"]) == 11, f"{len(done.data['images'])} images")
    for image in range(2, 12):
        same(done.rows(image), pairs(_50008=1, _40006=3), f"child {image}")


def case_exec_chain(tool):
    done = tool.run("exec_chain", 5)
    check(len(done.data["images"]) == 6, f"{len(done.data['images'])} images")
    for image in range(1, 7):
        same(done.rows(image), pairs(_50007=4, **({"_40006": 3} if image == 6 else {})), f"image {image}")
    check(done.data["owned_at_end"] == 1, "an exec left its chunk behind")


def case_signals(tool):
    """Handlers that allocate, at any instruction of the recorder, on the same stack and on another."""
    for other_stack in (0, 1):
        done = tool.run("signal_handlers", other_stack, preload="bump")
        found = done.rows()
        handled = found["allocation", "malloc", 60003]
        rounds, rest = divmod(found["allocation", "malloc", 60001], 1000)
        check(handled >= 300 and rest == 0, f"{handled} signals, {found['allocation', 'malloc', 60001]} pairs")
        # A signal may come between the last count and the end of the timer.
        in_handlers = found["allocation", "malloc", 60002]
        check(in_handlers - 3 * handled in (0, 3), f"{in_handlers} in {handled} handlers")
        same(found, pairs(_60001=1000 * rounds, _60002=in_handlers, _60003=handled, _40006=3))
        check(done.data["unknown_releases"] == 0, "a release of nothing")


def case_longjmps(tool):
    """Handlers that jump out of what they interrupted, the recorder included, and the recorder goes on."""
    # Without a collector also out of its waits for one.
    for options in ((), ("--collect",)):
        found = tool.run("longjmps", preload="bump", options=options).rows()
        got = found.pop(("allocation", "malloc", 60001))
        given = found.pop(("release", "free", 60001))
        check(0 <= got - given <= 200, f"{options}: {got} blocks, {given} given back, with 200 jumps")
        same(found, pairs(_60002=200, _60004=1000, _40006=3), options)


def case_nobody_collects(tool):
    """A collector that gives nothing back stops no program while the ring has room."""
    done = tool.run("pairs", 3_000_000)
    same(done.rows(), pairs(_100001=3_000_000, _40006=3))
    check(done.data["chunks"] > 48 and done.data["dropped"] == 0, f"{done.data['chunks']} chunks")


def case_forks_in_handlers(tool):
    # Children that live on beside their parent take chunks that were their parent's.
    for beside, options in ((0, ()), (40_000, ("--collect",))):
        done = tool.run("forks_in_handlers", beside, preload="bump", options=options)
        check(len(done.data["images"]) == 41, f"{len(done.data['images'])} images")
        for image in range(2, 42):
            found = done.rows(image)
            for size, count in ((60005, 2), (60006, beside or 10)):
                for key in (("allocation", "malloc", size), ("release", "free", size)):
                    check(found[key] == count, f"{options}: image {image}: {found[key]} of {key}")


def case_plugins(tool):
    """Two libraries that are mapped at the same place in turn: each is told when it comes and when it goes."""
    files = tool.programs["plugin_a"], tool.programs["plugin_b"]
    done = tool.run("plugins", *files)
    same(done.rows(), pairs(_71001=100, _71002=100, _40006=3))
    image = done.data["images"][0]
    for file in files:
        name = pathlib.Path(file).name
        check(name in image["modules"], f"{image['modules']}")
        check(image["unloaded"].count(name) == 20, f"{name} was unloaded {image['unloaded'].count(name)} times")


def case_fills_and_types(tool):
    done = tool.run("fills_and_types")
    fills = done.rows(kinds=("fill",))
    check(fills == {("fill", "none", 80000): 4}, f"{fills}")
    types = done.data["images"][0]["types"]
    check(any(re.search("8triangleE?$", name) for name in types), f"{types}")
    check(any("_Sp_counted_ptr_inplace" in name or "__shared_ptr_emplace" in name for name in types), f"{types}")


def case_c_program(tool):
    done = tool.run(program="plain")
    same(done.rows(), pairs(_110001=10))
    check(not any("libstdc++" in name for name in done.data["images"][0]["modules"]), "a C++ runtime was loaded")
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
    same(tool.run(tool.programs["cxx_plugin"], program="plain").rows(), expected)


def case_own_operators(tool):
    """A program's own operator new stays in place; its malloc is seen, and nothing else."""
    expected = collections.Counter()
    for size in (120001, 120002, 120003):
        expected["allocation", "malloc", size + 32] = 6
        expected["release", "free", size + 32] = 6
    same(tool.run(program="own_operators").rows(), expected)


def case_other_allocator(tool):
    """On top of a preloaded allocator: its malloc, and its operator new as one event each."""
    same(tool.run("operators", preload="bump").rows(), operator_rows())
    expected = operator_rows()
    for key in list(expected):
        # That allocator has no aligned and no array operator new of its own: the library's, on top of its plain one.
        if key[2] in (11002, 11004, 11010):
            del expected[key]
            expected["allocation", "new", key[2]] = 2
            expected["release", "delete", key[2]] = 2
    same(tool.run("operators", preload="bump_operators").rows(), expected)


def case_real_allocators(tool):
    """With an allocator of the distribution, whichever is there."""
    tried = 0
    for name in ("libjemalloc.so.2", "libmimalloc.so.2", "libtcmalloc_minimal.so.4"):
        for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"):
            if (path := pathlib.Path(folder) / name).exists():
                tool.programs[name] = str(path)
                tried += 1
                done = tool.run("operators", preload=name)
                same(done.rows(), operator_rows(), name)
                break
    print(f"{tried} allocators")


def case_killed(tool):
    """SIGKILL at any moment: what was finished is there, and at most one event a thread more."""
    rng = random.Random(5)
    for _ in range(3):
        file = tool.folder / "done"
        file.write_bytes(bytes(4096))
        child = subprocess.Popen(tool.command([tool.programs["recorded"], "until_killed", str(file)], ("--collect",)),
                                 stdout=subprocess.PIPE, text=True)
        while struct.unpack("Q", file.read_bytes()[:8])[0] == 0:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.005))
        victims = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout.split()
        for pid in victims:
            os.kill(int(pid), signal.SIGKILL)
        done = Recording(json.loads(child.communicate(timeout=100)[0]))
        check(done.data["status"] == signal.SIGKILL, f"wait status {done.data['status']}")
        found = done.rows()
        finished = sum(struct.unpack("8Q" * 3, file.read_bytes()[:192])[::8])
        for key in (("allocation", "malloc", 90001), ("release", "free", 90001)):
            check(finished <= found[key] <= finished + 3, f"{found[key]} of {key}, {finished} were finished")


def case_blocked(tool):
    """With few chunks and a slow collector the program waits, and nothing is lost."""
    count = 200_000
    done = tool.run("pairs", count, options=("--collect", "--in-flight", "2", "--chunks", "8"))
    same(done.rows(), pairs(_100001=count, _40006=3))
    check(done.data["dropped"] == 0, "something was dropped")


def case_collector_gone(tool):
    """The program waits for a recorder that stands still for long, and goes on without one that was killed."""
    child = subprocess.Popen(tool.command([tool.programs["recorded"], "pairs", "3000000"], ("--in-flight", "1")))
    time.sleep(12)
    victims = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout.split()
    check(len(victims) == 1, f"{victims}")
    child.kill()
    child.wait()
    for _ in range(1000):
        if not os.path.exists(f"/proc/{victims[0]}"):
            return
        time.sleep(0.05)
    os.kill(int(victims[0]), signal.SIGKILL)
    check(False, "it waits for ever")


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
    limited = subprocess.run(tool.command([tool.programs["recorded"], "calls"]), capture_output=True, timeout=60,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))
    check(limited.returncode in (0, 1, 3), f"{limited}")


def case_loops_are_small(tool):
    """Bytes an event, before compression."""
    done = tool.run("pairs", 100000)
    each = done.data["bytes"] / done.data["events"]
    check(each <= 4.5, f"{each} bytes an event")


def case_instructions(tool):
    """What a recorded pair of malloc and free executes, of the recorder alone; by callgrind, so the same everywhere with
    the same compiler. A number that grows is a slower recorder: say why in the commit that changes it."""
    skip_without("valgrind")
    if "optimized" not in tool.programs:
        skip("this build of the recorder is not the one that users have")
    most = 440

    def executed(count, with_library):
        out = tool.folder / "callgrind.out"
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", tool.programs["recorded"], "pairs", str(count)]
        if with_library:
            data = subprocess.run(tool.command(words), capture_output=True, text=True, timeout=100)
        else:
            data = subprocess.run(words, capture_output=True, text=True, timeout=100)
        check(data.returncode == 0, f"{data}")
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)[1])

    count = 4000
    recorded = executed(2 * count, True) - executed(count, True)
    plain = executed(2 * count, False) - executed(count, False)
    each = (recorded - plain) / count
    print(f"{each:.1f} instructions a pair")
    check(each > 60, f"{each} instructions: nothing is recorded")
    check(each <= most, f"{each} instructions a pair, {most} are allowed")
