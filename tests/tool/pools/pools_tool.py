# SPDX-License-Identifier: Apache-2.0
"""What the cases of pools have in common: plans for calls of test programs, and runs under the library."""
import json
import os
import pathlib
import re
import resource
import subprocess

import cases
from cases import check, skip_without

BYTES = 40
CALLS = ["malloc", "calloc", "realloc", "reallocarray", "new", "new_array", "new_nothrow", "new_array_nothrow"]
ALIGNED = ["aligned_alloc", "memalign", "posix_memalign", "new_aligned", "new_array_aligned", "new_aligned_nothrow",
           "new_array_aligned_nothrow"]
# How often the program's `calls` go through each.
HITS = {"calloc": 2000, "new": 2000, "new_array": 2000, "new_aligned": 2000, "new_array_aligned": 2000}


class Plan:
    """The text of a plan, put together as the tool would."""

    def __init__(self, tool, top=""):
        self.tool = tool
        self.text = "linn_plan = 1\n" + top
        self.modules = set()
        self.pools = set()

    def module(self, info, **changes):
        if info["name"] not in self.modules:
            self.modules.add(info["name"])
            values = {"name": info["name"], "build_id": info["build_id"], **changes}
            self.text += "\n[[module]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in values.items() if v)

    def pool(self, name, text=""):
        if name not in self.pools:
            self.pools.add(name)
            self.text += f"\n[[pool]]\nname = {json.dumps(name)}\n{text}"

    def site(self, pool, program, function, size, align=16, options="", behind=None, changes=None, code=None):
        """A site in `function`, whose first call it is; `behind` a wrapper, that one's first call, as (program, function)."""
        self.pool(pool, options or (f"align = {align}\n" if align > 16 else ""))
        call = self.tool.first_call(program, function)
        self.module(call, **(changes or {}))
        self.text += f"\n[[site]]\npool = {json.dumps(pool)}\nsize = {size}\nalign = {align}\n"
        if behind:
            wrapper = self.tool.first_call(*behind)
            self.module(wrapper)
            self.add(wrapper, "")
            self.text += f"stack = {wrapper['stack']}\n"
            self.add(call, "caller_")
        else:
            self.add(call, "", code)
        return self

    def add(self, call, prefix, code=None):
        self.text += f"{prefix}module = {json.dumps(call['name'])}\n{prefix}offset = {call['offset']:#x}\n"
        self.text += f"{prefix}code = {json.dumps(code or call['code'])}\n"

    def write(self, name="plan.toml"):
        """The plan as people write it."""
        path = os.path.join(self.tool.folder, name)
        pathlib.Path(path).write_text(self.text)
        return path

    def compiled(self, name="plan.toml"):
        """The plan as the library reads it."""
        path = self.write(name)
        self.tool.call("pools", "--plan", path, "--compile", path + ".plan", status=0)
        return path + ".plan"


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.library = self.programs["library"]
        skip_without("objdump")

    def first_call(self, program, function):
        """Where the first call in a function returns to, and what the tool says of it."""
        file = self.programs.get(program, program)
        listing = subprocess.run(["objdump", "-d", f"--disassemble={function}", file], capture_output=True, text=True,
                                 check=True).stdout.splitlines()
        at = next((i for i, line in enumerate(listing) if re.search(r"\b(call|bl|blr)\b", line)), None)
        check(at is not None, f"{function} of {program} calls nothing")
        offset = int(listing[at + 1].split(":")[0], 16)
        info = subprocess.run([self.programs["site_info"], file, hex(offset)], capture_output=True, text=True, check=False)
        check(info.returncode == 0, f"site_info of {function} failed")
        return {**json.loads(info.stdout), "offset": offset}

    def plan_of_calls(self, top=""):
        plan = Plan(self, top)
        for name in CALLS:
            plan.site("plain", "served", f"site_{name}", BYTES)
        for name in ALIGNED:
            plan.site("wide", "served", f"site_{name}", BYTES if name == "memalign" else 64, align=64)
        return plan

    def malloc_plan(self, options="", top=""):
        """One pool for `malloc`, and one for `new`."""
        plan = Plan(self, top)
        plan.site("by malloc", "served", "site_malloc", BYTES, options=options)
        plan.site("by new", "served", "site_new", BYTES, options=options)
        return plan

    def run(self, plan, *words, program="served", status=0, stderr="", library=None, out="ok\n", limits=(), **variables):
        """Runs a program with a plan, and returns its statistics; `stderr` is a pattern."""
        stats = os.path.join(self.folder, "stats.%p.json")
        environment = dict(os.environ, LD_PRELOAD=library or self.library, LINN_POOLS_STATS=stats, **variables)
        if plan:
            environment["LINN_PLAN"] = plan.compiled() if isinstance(plan, Plan) else str(plan)

        def limit():
            for what, bound in limits:
                resource.setrlimit(what, (bound, bound))

        child = subprocess.Popen([self.programs.get(program, program), *map(str, words)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=limit)
        output, errors = child.communicate(timeout=300)
        check(child.returncode == status, f"status {child.returncode} in place of {status}: {output}{errors}")
        if stderr:
            check(re.search(stderr, errors), f"standard error is not as expected: {errors}")
        else:
            check(errors == "", f"standard error: {errors}")
        check(out is None or output == out, f"standard output: {output}")
        self.output = output
        return self.statistics(child.pid)

    def statistics(self, pid=None):
        """Of one process, or of all, each by its id."""
        found = {}
        for file in pathlib.Path(self.folder).glob("stats.*.json"):
            data = json.loads(file.read_text())
            check(data["schema"] == "linn.pools/2", "the schema")
            found[data["process"]] = data
        return found[pid] if pid in found else None if pid else found


def pools_of(data):
    return {pool["name"]: pool for pool in data["pools"]}


def check_used(data, *names, live=0):
    for name in names or pools_of(data):
        pool = pools_of(data)[name]
        check(pool["peak"] > 0, f"pool {name} was not used: {pool}")
        check(pool["live"] == live, f"pool {name} has {pool['live']} live blocks at the end, not {live}")
