# SPDX-License-Identifier: Apache-2.0
"""Traces in the formats of other programs, read by programs that are not ours.

The trace is the one of write_exports.cpp, whose comment says what must come out. Exit status 77
(skipped) where the reader is not installed.
"""
import gzip
import os
import re
import shutil
import subprocess

import pytest
from cases import check, rows_of, skip

GROW = "std::vector<int, std::allocator<int> >::grow(unsigned long)"
MAKE = 'make "quoted"; and more\n'  # a name that no separator may break


def find_pprof():
    """pprof by itself, or the one that older versions of Go bring; newer ones would first compile it."""
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if go and not shutil.which("pprof"):
        folder = subprocess.run([go, "env", "GOTOOLDIR"], capture_output=True, text=True, timeout=60).stdout.strip()
        return shutil.which(os.path.join(folder, "pprof"))
    return shutil.which("pprof")


class Exports:
    def __init__(self, given, folder):
        self.folder = folder
        subprocess.run([given.writer, str(folder)], check=True, timeout=60)

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture
def exports(given, folder):
    return Exports(given, folder)


def stacks_of(text):
    """The lines of collapsed stacks, as their readers split them."""
    return {tuple(line.rpartition(" ")[0].split(";")): int(line.rpartition(" ")[2]) for line in text.splitlines()}


def case_collapsed(exports):
    """Outermost first, one line a stack, whatever stands in a name; the weights are bytes or allocations."""
    made = ("main", 'make "quoted": and more ', GROW)
    expected = {made: (300, 3), ("main", "other(char const*)", "0x5050 in libc.so.6"): (3000, 1),
                ("0x7fff1234",): (50, 1)}
    for place, name in enumerate(("bytes", "allocations")):
        shown = stacks_of(exports.text(name + ".collapsed"))
        check(shown == {stack: both[place] for stack, both in expected.items()}, shown)


def varint(data, at):
    """The number that begins there, and where it ends."""
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message, by number: a reader of the wire format of its own."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        check(tag & 7 in (0, 2), f"wire type {tag & 7}")
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        found.setdefault(tag >> 3, []).append(value)
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def case_pprof(exports):
    """Every number leads to something, and the samples have the counts of the trace."""
    profile = fields(gzip.decompress((exports.folder / "trace.pb.gz").read_bytes()))
    words = [w.decode() for w in profile[6]]
    check(words[0] == "", "the first string is not empty")
    kinds = [[words[fields(t)[n][0]] for n in (1, 2)] for t in profile[1]]
    check(kinds == [["alloc_objects", "count"], ["alloc_space", "bytes"], ["inuse_objects", "count"],
                    ["inuse_space", "bytes"]], kinds)
    check(words[profile[14][0]] == "alloc_space", "the default")
    functions = {f[1][0]: words[f[2][0]] for f in map(fields, profile[5])}
    mappings = {m[1][0]: m for m in map(fields, profile[3])}
    check(words[fields(profile[3][0])[5][0]] == "/src/program", "the program is not the first mapping")
    locations = {}
    for place in map(fields, profile[4]):
        names = [functions[fields(line)[1][0]] for line in place[4]]
        if 2 in place:
            mapping = mappings[place[2][0]]
            check(mapping[2][0] <= place[3][0] < mapping[3][0], "an address outside its module")
        locations[place[1][0]] = names
    samples = {}
    for sample in map(fields, profile[2]):
        stack = tuple(name for number in packed(sample[1][0]) for name in locations[number])
        samples[stack] = packed(sample[2][0])
    check(samples[(GROW, MAKE, "main")] == [3, 300, 1, 100], samples)
    check(samples[("0x5050 in libc.so.6", "other(char const*)", "main")] == [1, 3000, 1, 2000], samples)
    check(len(samples) == 3, samples)
    check(profile[9] == [1795261535 * 10**9] and profile[10] == [10000], "the times")


def case_pprof_itself(exports):
    """pprof itself shows the functions with their bytes."""
    pprof = find_pprof()
    if pprof is None:
        skip("there is no pprof")
    for index, first in (("alloc_space", r"\b3000B\s.*0x5050 in libc\.so\.6"), ("inuse_objects", r"\b1\s.*grow")):
        done = subprocess.run([pprof, "-top", "-nodecount=10", "-sample_index=" + index,
                               str(exports.folder / "trace.pb.gz")], capture_output=True, text=True, timeout=100,
                              env={**os.environ, "HOME": str(exports.folder), "PPROF_TMPDIR": str(exports.folder)})
        check(done.returncode == 0, done.stderr)
        check(re.search(first, done.stdout), done.stdout)
        check("File: program" in done.stdout, done.stdout)


def case_csv(exports):
    """One line an event, and the stacks that the events name."""
    events = rows_of(exports.text("events.csv"))
    check([e["event"] for e in events].count("allocation") == 5 and len(events) == 10, events)
    grown = next(e for e in events if e["event"] == "reallocation")
    check((grown["address"], grown["old_address"], grown["bytes"], grown["stack"]) == ("0x500", "0x300", "2000", "2"),
          grown)
    check({e["thread"] for e in events} == {"4711", "4712"} and events[0]["process"] == "4711", events)
    stacks = {s["stack"]: s for s in rows_of(exports.text("stacks.csv"))}
    check(set(stacks) == {"1", "3", "4"}, stacks)
    check(stacks["1"]["bytes"] == "300" and stacks["1"]["live_at_end"] == "1", stacks["1"])
    check(4096 <= int(stacks["1"]["median_lifetime_ns"]) < 8192 and stacks["1"]["call"] == "new", stacks["1"])
    check(GROW in stacks["1"]["frames"] and MAKE in stacks["1"]["frames"], stacks["1"])
    totals = sum(int(e["bytes"]) for e in events if e["event"] in ("allocation", "reallocation"))
    check(totals == sum(int(s["bytes"]) for s in stacks.values()), "events and stacks differ")
