#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the headers of Linn cost at compile time.

    compile_time.py [--rounds N] [--compiler NAME]... [--only HEADER]... [--quick]
    compile_time.py --map [--rounds N] [--compiler NAME]...
    compile_time.py --types N [--rounds N] [--compiler NAME]...

Without an option: milliseconds that each public header adds to a file that includes what it needs of the standard library, and
the lines of Linn that the compiler reads. Each round compiles, in random order, every header and, as its pair, the standard
and system headers that it asks for by name, with -fsyntax-only. What counts is the processor time of the compiler, the least
of all rounds.

With --map: time and object size of a file with one linn::map, header-only and with linn::compiled, and of the same file with
std::map; -O2 -g.

With --types: seconds and memory to compile, with -O2, one file in which each of N classes is created and destroyed in a
function of its own: by linn::pool, by new and delete, and by boost::object_pool where Boost is installed.
Exit status: 0, 2 for a wrong command line.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import includes  # noqa: E402

HEADERS = sorted(f"linn/{path.name}" for path in (ROOT / "include/linn").glob("*.hpp"))


def compile_cost(command):
    """Milliseconds of processor time, and the most KiB that the compiler had resident."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("does not compile: " + " ".join(command))
    return 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss


def processor_ms(command):
    return compile_cost(command)[0]


# Name -> the header and the use of one type.
USES = {
    "linn::pool": ("linn/pool.hpp", "auto* p = linn::pool<t{0}>::create(); linn::pool<t{0}>::destroy(p);"),
    "new, delete": ("linn/pool.hpp", "auto* p = new t{0}; delete p;"),
    "header only": ("linn/pool.hpp", ""),
    "boost::object_pool": ("boost/pool/object_pool.hpp",
                           "static boost::object_pool<t{0}> pool; pool.destroy(pool.construct());"),
    "its header only": ("boost/pool/object_pool.hpp", ""),
}


def includable(compiler, header):
    return includes.compile_text([compiler, "-std=c++20", f"-I{ROOT / 'include'}", "-fsyntax-only"],
                                 f"#include <{header}>\n").returncode == 0


def print_types(compiler, types, rounds, folder):
    """Compiles files with many types."""
    least = {}
    uses = {name: use for name, use in USES.items() if includable(compiler, use[0])}
    for _ in range(rounds):
        for name in random.sample(list(uses), len(uses)):
            file = folder / "types.cpp"
            header, use = uses[name]
            file.write_text(f"#include <{header}>\n" + "".join(
                f"struct t{i} {{ long numbers[{1 + i % 16}]; int id = {i}; }};\n"
                f"void use_{i}() {{ {use.format(i)} }}\n" for i in range(types)))
            cost = compile_cost([compiler, "-std=c++20", "-O2", f"-I{ROOT / 'include'}", "-c", str(file), "-o",
                                 os.devnull])
            least[name] = min(least.get(name, cost), cost)
    print(f"{types} types in one file")
    print(f"{'':20}{'seconds':>9}{'MiB':>7}")
    for name in uses:
        print(f"{name:20}{least[name][0] / 1000:9.1f}{least[name][1] / 1024:7.0f}")


def print_map(compiler, rounds, folder):
    """Compiles a file with one map."""
    command = [compiler, "-std=c++20", "-O2", "-g", f"-I{ROOT / 'include'}", "-c"]
    needed = folder / "needed.hpp"
    needed.write_text(includes.text_of(includes.outside(command[:-1], "linn/map.hpp")))
    cases = {"std::map": ("std", needed.name, []), "linn::map": ("linn", "linn/map.hpp", []),
             "linn::map, compiled": ("linn", "linn/map.hpp", ["-DLINN_COMPILED"])}
    least, size = {}, {}
    for name, (namespace, header, _) in cases.items():
        (folder / f"{name}.cpp").write_text(includes.MAP.format(header=header, name=namespace))
    for _ in range(rounds):
        for name in random.sample(list(cases), len(cases)):
            made = folder / f"{name}.o"
            ms = processor_ms([*command, f"-I{folder}", *cases[name][2], str(folder / f"{name}.cpp"), "-o", str(made)])
            least[name], size[name] = min(least.get(name, ms), ms), made.stat().st_size
    base_ms, base_bytes = least["std::map"], size["std::map"]
    print(f"{'':20}{'seconds':>9}{'ratio':>7}{'object, KB':>12}{'ratio':>7}")
    for name in cases:
        print(f"{name:20}{least[name] / 1000:9.2f}{least[name] / base_ms:7.2f}{size[name] / 1000:12.0f}"
              f"{size[name] / base_bytes:7.2f}")


def measure(compiler, headers, rounds, folder):
    """Header -> (least ms with it, least ms of what it needs)."""
    command = [compiler, "-std=c++20", f"-I{ROOT / 'include'}"]
    files = {}
    for header in headers:
        stem = folder / header.replace("/", "-")
        files[header, 0], files[header, 1] = f"{stem}.cpp", f"{stem}-std.cpp"
        pathlib.Path(files[header, 0]).write_text(f"#include <{header}>\n")
        pathlib.Path(files[header, 1]).write_text(includes.text_of(includes.outside(command, header)))
    least = dict.fromkeys(files, float("inf"))
    for _ in range(rounds):
        order = list(files)
        random.shuffle(order)
        for key in order:
            least[key] = min(least[key], processor_ms(command + ["-fsyntax-only", files[key]]))
    return {header: (least[header, 0], least[header, 1]) for header in headers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--types", type=int, metavar="N")
    parser.add_argument("--compiler", action="append")
    parser.add_argument("--only", action="append", choices=HEADERS, metavar="HEADER", default=[])
    parser.add_argument("--quick", action="store_true", help="one round: shows that it works, measures nothing")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    if arguments.types is not None and (arguments.types < 1 or arguments.only or arguments.map):
        parser.error("--types must be at least 1, and goes without --only and --map")
    headers = arguments.only or HEADERS
    rounds = 1 if arguments.quick else arguments.rounds
    compilers = arguments.compiler or [c for c in ("g++", "clang++-19") if shutil.which(c)]
    for compiler in compilers:
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
        if arguments.types is not None or arguments.map:
            print(version.stdout.splitlines()[0])
            with tempfile.TemporaryDirectory() as folder:
                if arguments.map:
                    print_map(compiler, rounds, pathlib.Path(folder))
                else:
                    print_types(compiler, arguments.types, rounds, pathlib.Path(folder))
            continue
        with tempfile.TemporaryDirectory() as folder:
            results = measure(compiler, headers, rounds, pathlib.Path(folder))
        print(f"{version.stdout.splitlines()[0]}, {rounds} round{'s' if rounds != 1 else ''}, "
              "least processor time in ms")
        print(f"{'header':30}{'with':>8}{'std only':>10}{'added':>8}{'lines':>8}")
        for header, (whole, needed) in results.items():
            lines = includes.lines([compiler, "-std=c++20", f"-I{ROOT / 'include'}"], header)
            print(f"{header:30}{whole:8.0f}{needed:10.0f}{whole - needed:8.0f}{lines:8}")
        print()


if __name__ == "__main__":
    main()
