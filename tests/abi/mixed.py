#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A checked and an unchecked part of one program, or parts built with two releases: what passes Linn's types between them does not link; what only
uses the pool of the same type on both sides does, and each side has a pool of its own.

usage: mixed.py COMPILER FLAGS... -IINCLUDE
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SHARED = """
#include <linn/allocator.hpp>
#include <list>
using numbers = std::list<int, linn::allocator<int>>;
struct order { long words[6]; };
"""
# One side hands a container to the other.
CALLEE = SHARED + "void consume(numbers& l) { l.clear(); }\n"
CALLER = SHARED + """
void consume(numbers& l);
int main() { numbers l{1, 2, 3}; consume(l); return l.empty() ? 0 : 1; }
"""
# Both sides use the pool of the same type, and pass nothing of Linn's.
OTHER = SHARED + """
#include <cstddef>
std::size_t slot_bytes() { return linn::pool<order>::statistics().slot_bytes; }
bool works() {
    order* p = linn::pool<order>::create();
    const bool one = linn::pool<order>::statistics().live == 1;
    linn::pool<order>::destroy(p);
    return one && linn::pool<order>::statistics().live == 0;
}
"""
SAME_TYPE = SHARED + """
#include <cstddef>
std::size_t slot_bytes();
bool works();
int main() {
    order* p = linn::pool<order>::create();
    const bool other = works();
    const bool one = linn::pool<order>::statistics().live == 1;
    linn::pool<order>::destroy(p);
    const bool differ = linn::pool<order>::statistics().slot_bytes != slot_bytes();
    return other && one ? (differ ? 0 : 3) : 1;
}
"""
CHECKED = "-DLINN_CHECKED=1"
FIBERS = "-DLINN_FIBERS=1"


def next_release(include, folder):
    """A copy of the headers with the version after this one."""
    copy = folder / "include"
    shutil.copytree(include, copy)
    version = copy / "linn/version.hpp"
    text = version.read_text(encoding="utf-8")
    part = "MINOR" if re.search(r"LINN_VERSION_MAJOR 0\b", text) else "MAJOR"
    version.write_text(re.sub(rf"(LINN_VERSION_{part}) (\d+)", lambda m: f"{m[1]} {int(m[2]) + 1}", text), encoding="utf-8")
    return copy


def main():
    *compiler, include = sys.argv[1:]
    include = include.removeprefix("-I")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def build(first, first_flags, second, second_flags):
            """The program's path, or the linker's message."""
            objects = []
            for i, (text, flags) in enumerate(((first, first_flags), (second, second_flags))):
                source, target = folder / f"{i}.cpp", folder / f"{i}.o"
                source.write_text(text, encoding="utf-8")
                subprocess.run([*compiler, *flags, f"-I{include}", "-c", str(source), "-o", str(target)], check=True)
                objects.append(str(target))
            program = folder / "program"
            done = subprocess.run([*compiler, *objects, "-o", str(program)], capture_output=True, text=True)
            return (str(program), "") if done.returncode == 0 else (None, done.stdout + done.stderr)

        program, message = build(CALLEE, [CHECKED], CALLER, [CHECKED])
        assert program, message  # the control: built alike, they link
        assert subprocess.run([program]).returncode == 0
        later = [f"-I{next_release(include, folder)}"]
        program, message = build(CALLEE, later, CALLER, later)
        assert program, message
        for ours, theirs in (([], [CHECKED]), ([CHECKED], []), ([], [FIBERS]), ([CHECKED], [CHECKED, FIBERS]), ([], later), (later, [])):
            program, message = build(CALLEE, ours, CALLER, theirs)
            assert program is None, "parts that were built differently link"
            assert "consume" in message, message
        program, message = build(OTHER, [], SAME_TYPE, [CHECKED])
        assert program, message
        status = subprocess.run([program]).returncode
        assert status == 0, f"two pools of one type: {status}"
        program, message = build(OTHER, [], SAME_TYPE, [])
        # Built alike they share the pool, whose counts the two parts then see together.
        assert subprocess.run([program]).returncode == 1


if __name__ == "__main__":
    main()
