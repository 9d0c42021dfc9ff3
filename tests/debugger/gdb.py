#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdb shows pools as they are: every command and printer, in the running program and in its core file.

    gdb.py GDB SCRIPT PROGRAM pools|checked|asan

Skipped (77) where gdb may not trace a process.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77

# What gdb is asked, and what must be in its answer. {name} is the address that variable holds.
ASK = [
    ("linn pools", [r"bytes +live +peak +cached +threads +slabs +type",
                    r"^ +16 +999 +10\d\d +\d+ +\d+ +\d+  shop::order$",
                    r"^ +4 +1 +\d+ +\d+ +\d+ +1  shop::box<int>$",
                    r"^ +24 +3 +\d+ +\d+ +\d+ +1  std::\S*[lL]ist_node<int.*>$"]),
    ("linn pools recycler", [r"^ +\d+ +1 +[34] +[2-9]\d* +\d+ +1  recycler<shop::order>$"]),
    ("linn live recycler<shop::order>", [r"\A0x\w+\n1 live object of recycler<shop::order>\n\Z"]),
    ("linn owner idle_order", [r"^{idle_order} is in the pool of recycler<shop::order>: slot \d+ at 0x\w+, "
                               r"\d+ bytes into it; free: idle in its recycler$"]),
    ("linn owner recycled.get()", [r"is in the pool of recycler<shop::order>: slot \d+ at 0x\w+, \d+ bytes into it; "
                                   r"live$"]),
    ("linn pools box", [r"\A[^\n]+type\n +4 [^\n]+box<int>\n\Z"]),
    ("linn live shop::order 2", [r"\A0x\w+\n0x\w+\n999 live objects of shop::order, 2 shown\n\Z"]),
    ("linn live order 5000", [r"^{live_order}$", r"(?!\n){first_of_many}$", r"^999 live objects of shop::order$",
                              r"\A(?!.*^{freed_here}$)(?!.*^{freed_elsewhere}$)(?!.*^{freed_waiting}$)"]),
    ("linn live box", [r"\A{live_box}\n1 live object of shop::box<int>\n\Z"]),
    ("linn owner live_order", [r"^{live_order} is in the pool of shop::order: slot \d+ at {live_order}; live$"]),
    ("linn owner (char*)live_order + 3", [r"slot \d+ at {live_order}, 3 bytes into it; live$"]),
    ("linn owner *live_order", [r"slot \d+ at {live_order}; live$"]),
    ("linn owner freed_elsewhere", [r"slot \d+ at {freed_elsewhere}; free: returned to its slab$"]),
    ("linn owner last_slot + 200", [r"slot \d+ .*; free: never handed out since the slab was empty$"]),
    ("linn owner &not_pooled", [r"^0x\w+ is not in a pool$"]),
    ("linn owner 0", [r"^0x0 is not in a pool$"]),
    ("linn owner local_live", [r"is in a local_pool or handle_pool: slot 0 at {local_live}; live"]),
    ("linn owner handled_order", [r"is in a local_pool or handle_pool: slot \d+ at {handled_order}; live"]),
    ("print *local", [r"= linn::local_pool<shop::order>: 2 live, \d cached, 1 slab = \{{\[{local_live}\] = "
                      r"\{{id = 3, price = 3\}}, \[0x\w+\] = \{{id = 5, price = 5\}}\}}$"]),
    ("print fixed", [r"= linn::fixed_pool<shop::order, 4>: 1 of 4 live = \{{\[1\] = \{{id = 7, price = 7\}}\}}$"]),
    ("print handles", [r"= linn::handle_pool<shop::order>: 3 objects = \{{\[0x100000\] = \{{id = 8, price = 8\}}, "
                       r"\[0x200001\] = \{{id = 11, price = 11\}}, \[0x100002\] = \{{id = 10, price = 10\}}\}}$"]),
    ("print handle", [r"= linn::pool_handle<shop::order>: 0x100000$"]),
    ("print stale", [r"= linn::pool_handle<shop::order>: 0x100001$"]),
    ("print no_handle", [r"= linn::pool_handle<shop::order>: null$"]),
    ("print recycler", [r"= linn::recycler<shop::order>: 1 live, 2 idle of at most 10$"]),
    ("print buffers", [r"= linn::buffer_pool of 1048576 bytes: 1 live, 0 idle, peak 1$"]),
    ("print buffer", [r"= linn::buffer: 1048576 bytes at 0x\w+000$"]),
    ("print no_buffer", [r"= linn::buffer: empty$"]),
    ("print allocator", [r"= linn::allocator<int>$"]),
]
VARIANT = {
    "pools": [
        ("linn owner (long)live_order & ~0xffff", [r"in the pool of shop::order: in the header of the slab"]),
        ("linn owner live_order", [r"slot 1000 at {live_order}; live\n\Z"]),
        ("linn owner freed_here", [r"slot 1001 at {freed_here}; free: in the cache of thread 1$"]),
        ("linn owner freed_waiting", [r"slot 501 at {freed_waiting}; free: in the cache of thread \d$"]),
    ],
    # Another ABI namespace, no caches, and a note of who allocated and who freed.
    "checked": [
        ("linn owner freed_here", [r"slot \d+ at {freed_here}; free: returned to its slab$",
                                   r"^  allocated make_order\b.* at .*program\.cpp:\d+\n {{12}}main",
                                   r"^  freed     drop_order\b.* at .*program\.cpp:\d+\n {{12}}main"]),
        ("linn owner local_freed", [r"slot 1 at {local_freed}; free: returned to its slab$"]),
    ],
}
# Objects are blocks of operator new. Without a core file: that of a process with shadow memory is huge.
UNDER_ASAN = [
    ("linn pools", [r"^ +16 +999 +10\d\d +0 +0 +0  shop::order \*$"]),
    ("linn live shop::order 5000", [r"^{live_order}$", r"\n999 live objects of shop::order\n\Z",
                                    r"\A(?!.*^{freed_here}$)(?!.*^{freed_elsewhere}$)"]),
    ("linn owner (char*)live_order + 3", [r"in the pool of shop::order: a block of operator new at {live_order}, "
                                          r"3 bytes into it; live$"]),
    ("linn owner freed_here", [r"^{freed_here} is not in a pool \(a memory checker is on"]),
    ("print *local", [r"= linn::local_pool<shop::order>: 2 live"]),
    ("linn pools recycler", [r"^ +\d+ +1 +3 +2 +0 +0  recycler<shop::order> \*$"]),
    ("linn live recycler<shop::order>", [r"\A0x\w+\n1 live object of recycler<shop::order>\n\Z"]),
    ("linn owner idle_order", [r"in the pool of recycler<shop::order>: a block of operator new at 0x\w+, "
                               r"\d+ bytes into it; free: idle in its recycler$"]),
]
REFUSED = [  # questions that have no answer say so
    ("linn live", "which type"),
    ("linn live nosuch", "no pool of nosuch"),
    ("linn live o", "which one? "),
    ("linn owner", "which address"),
]
NAMES = ["live_order", "freed_here", "freed_elsewhere", "freed_waiting", "live_box", "local_live",
         "local_freed", "first_of_many", "idle_order", "handled_order"]


def gdb(program, script, target, commands):
    """The answers of gdb to one command each, as a list."""
    with tempfile.TemporaryDirectory() as folder:
        lines = ["set pagination off", "set width 0", "set print address on", "set print thread-events off",
                 f"source {script}"]
        for command in commands:
            lines += [f"echo <<<\\n\n{command}\necho >>>\\n"]
        path = Path(folder) / "commands"
        # A command that fails ends a sourced file, so each is tried by itself.
        path.write_text("\n".join(lines) + "\n")
        environment = {**os.environ, "DEBUGINFOD_URLS": ""}  # nothing from the network
        run = subprocess.run([program, "-q", "-nx", "-batch", "-x", str(path), *target], capture_output=True,
                             text=True, check=False, timeout=250, env=environment)
    return run.stdout, run.stderr


def answers(output):
    return re.findall(r"^<<<\n(.*?)^>>>$", output, re.DOTALL | re.MULTILINE)


def wrong(questions, found, names):
    """The questions whose answers are not what they should be."""
    problems = []
    if len(found) != len(questions):
        return [f"{len(found)} answers to {len(questions)} questions"]
    for (command, patterns), answer in zip(questions, found):
        for pattern in patterns:
            if not re.search(pattern.format(**names), answer, re.MULTILINE | re.DOTALL if "?!.*" in pattern
                             else re.MULTILINE):
                problems.append(f"{command}: no match of {pattern.format(**names)} in:\n{answer}")
    return problems


def main():
    program, script, target, variant = sys.argv[1:5]
    questions = UNDER_ASAN if variant == "asan" else ASK + VARIANT[variant]
    ask = [command for command, _ in questions]
    addresses = [f"printf \"%p\\n\", {name}" for name in NAMES]
    with tempfile.TemporaryDirectory() as folder:
        core = str(Path(folder) / "core")
        start = ["break stop_here", "run", "up"]
        finish = [] if variant == "asan" else [f"generate-core-file {core}"]
        output, errors = gdb(program, script, [target], start + addresses + ask + finish)
        if re.search(r"ptrace|Operation not permitted|could not trace", errors, re.IGNORECASE):
            print("linn: skipped: gdb may not trace a process here\n" + errors)
            return SKIPPED
        found = answers(output)[len(start):]
        names = dict(zip(NAMES, (answer.strip() for answer in found)))
        problems = wrong(questions, found[len(addresses):len(addresses) + len(ask)], names)

        if variant == "asan":
            return report(problems, errors)

        # No process now: whatever needed to call into the program would fail.
        output, core_errors = gdb(program, script, [target, core], ["up"] + ask)
        problems += ["core: " + line for line in wrong(questions, answers(output)[1:], names)]
        errors += core_errors

        for command, message in REFUSED:
            _, refusal = gdb(program, script, [target, core], [command])
            if message not in refusal:
                problems.append(f"{command}: {message!r} is not in {refusal!r}")
    return report(problems, errors)


def report(problems, errors):
    for problem in problems:
        print(problem)
    if problems:
        print(errors)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
