#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Promise: with LINN_USDT the executable names every probe, and a debugger that stops at one finds the pool's type and the
numbers of the guide; without the macro nothing is in it; without <sys/sdt.h> the compiler says what to install.

usage: probes.py WITH WITHOUT READELF GDB|"" INCLUDE COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PROBES = {"refill", "flush", "slab_mapped", "slab_returned", "limit_reached", "out_of_memory"}


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def output(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, **more).stdout


def notes(readelf, program):
    return set(re.findall(r"Provider: linn\s+Name: (\w+)", output(readelf, "--notes", program)))


def stops_of(gdb, program, probe):
    """(type, third argument, fourth argument) at each of the first stops."""
    script = ["set pagination off", f"break -probe-stap linn:{probe}", "run"]
    look = ("python a = [int(gdb.parse_and_eval('$_probe_arg%d' % i)) for i in range(4)]; print('AT %s|%d|%d' % "
            "(gdb.selected_inferior().read_memory(a[0], a[1]).tobytes().decode(), a[2], a[3]))")
    script += [look, "continue"] * 3
    words = [gdb, "-nx", "-batch"]
    for line in script:
        words += ["-ex", line]
    said = output(*words, program, stdin=subprocess.DEVNULL)
    if "ptrace: Operation not permitted" in said:
        print("gdb may not trace a process: only the names were checked")
        sys.exit(0)
    return [(t, int(a), int(b)) for t, a, b in re.findall(r"^AT (.*)\|(\d+)\|(\d+)$", said, re.M)], said


def main():
    program, plain, readelf, gdb, include, *compiler = sys.argv[1:]
    check(notes(readelf, program) == PROBES, f"probes: {notes(readelf, program)}")
    check(notes(readelf, plain) == set(), f"probes without the macro: {notes(readelf, plain)}")
    check(output(program) == output(plain) == "10\n", "the program does something else")

    with tempfile.TemporaryDirectory() as folder:
        header = "linn/detail/os/usdt.hpp"
        copy = pathlib.Path(folder) / header
        copy.parent.mkdir(parents=True)
        text = (pathlib.Path(include) / header).read_text()
        check("__has_include(<sys/sdt.h>)" in text, "the header does not look for <sys/sdt.h>")
        copy.write_text(text.replace("__has_include(<sys/sdt.h>)", "0"))
        (copy.parent / "a.cpp").write_text("#include <linn/pool.hpp>\n")
        said = output(*compiler, f"-I{folder}", f"-I{include}", "-DLINN_USDT=1", "-fsyntax-only", str(copy.parent / "a.cpp"))
        check("LINN_USDT needs <sys/sdt.h>: install systemtap-sdt-dev" in said, said)

    if not gdb:
        print("gdb is not installed: only the names were checked")
        return
    for probe, wanted in (("refill", ("shop::order", 1, None)), ("flush", ("shop::order", 1, None)),
                          ("slab_mapped", ("shop::order", 1, 4096)), ("slab_returned", ("shop::order", 1, 4096)),
                          ("limit_reached", ("shop::bounded", 1, 32))):
        stops, said = stops_of(gdb, program, probe)
        check(stops and stops[0][0] == wanted[0], (probe, stops, said))
        check(max(stop[1] for stop in stops) >= wanted[1], (probe, stops))  # the first flush only takes a second magazine
        check(stops[0][2] in (0, 1) if wanted[2] is None else stops[0][2] >= wanted[2], (probe, stops))
    print("every probe has its type and its numbers")


main()
