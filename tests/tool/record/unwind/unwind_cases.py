# SPDX-License-Identifier: Apache-2.0
"""Programs under the checker: every stack that the recorder's unwinder takes is the one that libgcc takes."""
import os
import re
import shutil
import subprocess
import sys

import cases
from cases import check

LINE = re.compile(r"^\S+ pid \d+ stacks (\d+) differences (\d+) hits (\d+) cut (\d+)$")


class Tool(cases.Tool):
    def compare(self, command, least, depth=16):
        """Runs the command under the checker. `least`: stacks at least, so that the test cannot pass by checking none."""
        counts = self.folder / "counts"
        counts.unlink(missing_ok=True)
        variables = dict(os.environ, LD_PRELOAD=self.programs["checker"], LINN_UNWIND_CHECK=str(counts),
                         LINN_UNWIND_DEPTH=str(depth), PYTHONMALLOC="malloc")
        done = subprocess.run(command, env=variables, cwd=self.folder, capture_output=True, text=True, errors="replace")
        text = counts.read_text() if counts.exists() else ""
        check(done.returncode == 0, f"{command[0]} ended with {done.returncode}\n{done.stderr}\n{text}")
        found = [LINE.match(line) for line in text.splitlines() if not line.startswith("#")]
        check(found and all(found), f"no counts\n{text}")
        stacks, differences, hits, cut = map(sum, zip(*([int(value) for value in match.groups()] for match in found)))
        check(differences == 0 and cut == 0, text)
        check(stacks >= least and hits > stacks / 20, f"{hits} hits of {stacks} stacks")
        return done.stdout


def case_real_programs(tool):
    """Those that are there: each with the stacks that it has at least, and the depth."""
    script = "import json; json.loads(json.dumps([{'a': i, 'b': [str(i)] * 3} for i in range(500)]))"
    (tool.folder / "a.cpp").write_text("struct s { int a[3]; }; int f(int x) { s y{}; y.a[x] = x; return y.a[0] + x; }\n")
    for least, depth, *command in (
            (2000, 64, "cmake", "--help-command-list"),
            (10000, 16, "perl", "-e", 'my %h; $h{$_} = "x$_" x 3 for 1..5000; print join ",", sort keys %h'),
            (20000, 16, sys.executable, "-S", "-c", script), (2000, 16, "node", "--v8-options"),
            (10000, 16, "g++", "-O1", "-S", "a.cpp", "-o", "a.s")):
        if shutil.which(command[0]):
            tool.compare(command, least, depth)


def case_torture(tool):
    """A program that is hard to unwind, as compilers write its frames under different flags."""
    for name, program in tool.programs.items():
        if name.startswith("torture"):
            plain = subprocess.run([program, "60"], stdout=subprocess.PIPE, text=True, check=True).stdout
            for depth in (16, 64):
                check(tool.compare([program, "60"], 5000, depth=depth) == plain, f"{name} did something else")
