#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lldb shows pools as they are, in the running program and in its core file. Of packaging/debug/linn_lldb.py every formatter.

    lldb.py LLDB SCRIPT PROGRAM pools|checked|asan

Skipped (77) where lldb may not trace a process, or has no Python.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
OBJECT = r"\[0x[0-9a-f]+\] = \(id = {}, price = {}\)"

# What is asked for, and what must be in the answer. {cached} differs between builds.
ASK = [
    ("v *local", [r"\*local = 2 live, {cached} cached, 1 slab \{{", OBJECT.format(3, 3), OBJECT.format(5, 5)]),
    ("target variable fixed", [r"fixed = 1 of 4 live \{{", r"\[1\] = \(id = 7, price = 7\)"]),
    ("v handles", [r"handles = 3 objects \{{", r"\[0x100000\] = \(id = 8, price = 8\)", r"\[0x200001\] = \(id = 11, price = 11\)",
                   r"\[0x100002\] = \(id = 10, price = 10\)"]),
    ("v handle", [r"handle = 0x100000$"]),
    ("v stale", [r"stale = 0x100001$"]),
    ("v no_handle", [r"no_handle = null$"]),
    ("v recycler", [r"recycler = 1 live, 2 idle of at most 10$"]),
    ("v buffers", [r"buffers = buffers of 1048576 bytes: 1 live, 0 idle, peak 1$"]),
    ("v buffer", [r"buffer = 1048576 bytes at 0x\w+000$"]),
    ("v no_buffer", [r"no_buffer = empty$"]),
]
CACHED = {"pools": "2", "checked": "0", "asan": "2"}


def run(lldb, *commands):
    words = [lldb, "--no-lldbinit", "--batch"]
    for command in commands:
        words += ["--one-line", command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300).stdout


def answers(output):
    """What stands behind each command."""
    parts = re.split(r"^\(lldb\) (.*)$", output, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def check(output, variant):
    got = answers(output)
    for command, patterns in ASK:
        for pattern in patterns:
            wanted = pattern.format(cached=CACHED[variant])
            if not re.search(wanted, got.get(command, ""), re.M):
                sys.exit(f"FAILED: {command}: no {wanted} in\n{got.get(command, output)}")


def main():
    lldb, script, program, variant = sys.argv[1:]
    load = f"command script import {script}"
    with tempfile.TemporaryDirectory() as folder:
        core = Path(folder) / "core"
        save = [f"process save-core --style full {core}"] if variant == "pools" else []
        output = run(lldb, load, f"target create {program}", "breakpoint set -n stop_here", "run", "up",
                     *(command for command, _ in ASK), *save)
        if re.search(r"'A' packet returned an error|Operation not permitted|personality|no script interpreter|not supported", output) \
                and "stop reason = breakpoint" not in output:
            print("linn: skipped:", output.strip().splitlines()[-1])
            sys.exit(SKIPPED)
        if "stop reason = breakpoint" not in output:
            sys.exit(f"FAILED: the program did not stop\n{output}")
        check(output, variant)
        if core.exists(): # nothing is called in the program, which is gone
            look = f"target create {program} --core {core}"
            stopped = re.search(r"thread #(\d+):.*stop_here", run(lldb, look, "thread list")).group(1)
            check(run(lldb, load, look, f"thread select {stopped}", "up", *(command for command, _ in ASK)), variant)
        elif save:
            sys.exit(f"FAILED: no core file\n{output}")
    print(f"{len(ASK)} values, {'live and in a core file' if save else 'live'}")


main()
