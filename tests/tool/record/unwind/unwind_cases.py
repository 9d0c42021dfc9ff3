#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs under the checker: every stack that the recorder's unwinder takes is the one that libgcc takes."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LINE = re.compile(r"^(\S+) pid \d+ stacks (\d+) differences (\d+) hits (\d+) cut (\d+)$")
SKIPPED = 77


def check(arguments, command, least, environment=None, depth=16):
    """Runs the command under the checker. `least`: stacks at least, so that the test cannot pass by checking none."""
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts"
        variables = dict(os.environ, LD_PRELOAD=arguments.checker, LINN_UNWIND_CHECK=str(counts),
                         LINN_UNWIND_DEPTH=str(depth), **(environment or {}))
        done = subprocess.run(command, env=variables, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace")
        text = counts.read_text() if counts.exists() else ""
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}\n{done.stderr}\n{text}"
    found = [LINE.match(line) for line in text.splitlines() if not line.startswith("#")]
    assert found and all(found), f"no counts\n{text}"
    rows = [[int(value) for value in match.groups()[1:]] for match in found]
    stacks, differences, hits, cut = map(sum, zip(*rows))
    print(text)
    assert differences == 0 and cut == 0, text
    assert stacks >= least, f"{stacks} stacks, not {least}"
    assert hits > stacks / 20, f"{hits} hits of {stacks}"
    return done.stdout


def need(name):
    path = shutil.which(name)
    if path is None:
        print(f"linn: skipped: no {name}")
        sys.exit(SKIPPED)
    return path


def case_cmake(arguments):
    check(arguments, [need("cmake"), "--help-command-list"], 2000, depth=64)


def case_perl(arguments):
    check(arguments, [need("perl"), "-e", 'my %h; $h{$_} = "x$_" x 3 for 1..5000; print join ",", sort keys %h'], 10000)


def case_python3(arguments):
    program = "import json; json.loads(json.dumps([{'a': i, 'b': [str(i)] * 3} for i in range(500)]))"
    check(arguments, [sys.executable, "-S", "-c", program], 20000, {"PYTHONMALLOC": "malloc"})


def case_node(arguments):
    check(arguments, [need("node"), "--v8-options"], 2000)


def case_compiler(arguments):
    source = "struct s { int a[3]; }; int f(int x) { s y{}; y.a[x] = x; return y.a[0] + x; }"
    script = f'echo "{source}" > a.cpp && exec {need("g++")} -O1 -S a.cpp -o a.s'
    check(arguments, ["/bin/sh", "-c", script], 10000)


def torture(arguments, name):
    program = arguments.torture[name]
    plain = subprocess.run([program, "60"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for depth in (16, 64):
        assert check(arguments, [program, "60"], 5000, depth=depth) == plain, "it did something else"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checker", required=True)
    parser.add_argument("--torture", action="append", default=[])
    parser.add_argument("case")
    arguments = parser.parse_args()
    arguments.torture = dict(pair.split("=", 1) for pair in arguments.torture)
    if arguments.case.startswith("torture_"):
        torture(arguments, arguments.case.removeprefix("torture_"))
    else:
        globals()["case_" + arguments.case](arguments)


if __name__ == "__main__":
    main()
