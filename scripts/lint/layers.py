#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers depend only downwards: checks every include of the library and of the tool.

The tables below are the architecture; to add a folder, add a line.
"""
import posixpath
import re

import source

DETAIL = "include/linn/detail"

# Plain types that users and detail name alike. They include each other and std only.
TYPES = "include/linn/types"

# Folder of include/linn/detail -> folders of it that it may include, besides itself.
LIBRARY = {
    "core": [],
    "os": ["sanitizer"],
    "sanitizer": [],
    "sync": ["core", "os", "sanitizer"],
}

# The two public headers that detail may include: they hold macros only.
BELOW_ALL = {"include/linn/config.hpp", "include/linn/version.hpp"}

# Folder of tool/ -> folders of tool/ that it may include, besides itself: each of them stands above it in this table, so there is
# no circle. record/preload, pools/preload and run/probe run inside the user's program, so they know only their formats, and
# interpose. What measures does not know how its result is shown: report comes after the commands.
TOOL = {
    "interpose": [],
    "measure": [],
    "program": [],
    "symbols": ["measure", "program"],
    "trace": ["measure", "program"],
    "allocators": ["measure"],
    "analysis": ["trace"],
    "experiment": ["allocators", "measure"],
    "lint": ["measure", "program"],
    "pools": ["interpose", "measure", "program"],
    "record": ["analysis", "interpose", "measure", "program", "trace"],
    "bench": ["allocators", "experiment", "measure"],
    "run": ["allocators", "experiment", "interpose", "measure", "program"],
    "advise": ["analysis", "experiment", "measure", "pools", "program", "symbols", "trace"],
    "profile": ["advise", "analysis", "measure", "symbols", "trace"],
    "try": ["advise", "experiment", "measure", "pools", "run", "symbols"],
    "check": ["measure", "pools", "profile"],
    "compare": ["experiment", "measure", "profile"],
    "report": ["advise", "allocators", "analysis", "bench", "check", "compare", "experiment", "lint", "measure",
               "profile", "run", "symbols", "trace", "try"],
    "cli": ["advise", "allocators", "analysis", "bench", "check", "compare", "experiment", "lint", "measure",
            "pools", "profile", "program", "record", "report", "run", "symbols", "trace", "try"],
}

# Folder of tool/report -> folders of it that it may include, besides itself: the document, its plots, the output formats, and
# what each command reports. A renderer knows no command, and a command no renderer.
REPORT = {
    "document": [],
    "plots": ["document"],
    "render": ["document", "plots"],
    "commands": ["document", "plots"],
}

# Seconds of compile time in every user's file, or output streams behind their back.
HEAVY = {"format", "iostream", "memory_resource", "thread"}
# The header whose whole subject is a heavy one.
HEAVY_ALLOWED = {("include/linn/memory_resource.hpp", "memory_resource")}
CONCURRENT = {"atomic", "barrier", "condition_variable", "future", "latch", "mutex", "semaphore",
              "shared_mutex", "stop_token", "thread"}
SYSTEM = re.compile(r"(sys|linux|mach|asm)/|(unistd|pthread|sched|windows|fcntl|dlfcn|signal)\.h")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def resolve(root, name, quote, target):
    """The repository path of an include, None if it is not a file of the repository."""
    places = ["include", "tool", "."]
    if quote == '"':
        places.insert(0, posixpath.dirname(name))
    for place in places:
        path = posixpath.normpath(posixpath.join(place, target))
        if (root / path).is_file():
            return path
    return None


def layer(path, base):
    """'core' for base/core/x.hpp, '' for a file directly in base, None for a file elsewhere."""
    if not path.startswith(base + "/"):
        return None
    rest = path[len(base) + 1:]
    return rest.split("/")[0] if "/" in rest else ""


def library_include(name, target, path):
    """What is wrong with including target (at path, if it is ours) in a library header."""
    mine = layer(name, DETAIL)
    if path is None and target.startswith("linn/"):
        return f"<{target}> does not exist"
    if path is None:
        if target in HEAVY and (name, target) not in HEAVY_ALLOWED:
            return f"<{target}> is too heavy for a header of the library"
        if layer(name, TYPES) == "":
            mine = "types"
        if mine in ("types", "core", "os") and target in CONCURRENT:
            return f"<{target}>: {mine} knows no threads and no atomics"
        if mine in ("types", "core") and SYSTEM.match(target):
            return f"<{target}>: {mine} knows no operating system"
        return None
    if not path.startswith("include/linn/"):
        return f"the library may not include {path}"
    if path in BELOW_ALL or layer(path, TYPES) == "":
        return None
    if layer(name, TYPES) == "":
        return f"types may not include {path}"
    if mine is None:
        return None
    theirs = layer(path, DETAIL)
    if theirs is None:
        return f"detail may not include the public header {path}"
    if theirs != mine and theirs not in LIBRARY[mine]:
        return f"{mine} may not include {theirs} ({path})"
    return None


def tool_include(name, path):
    """What is wrong with including path in a file of the tool."""
    mine, theirs = layer(name, "tool"), layer(path, "tool")
    if theirs is None or mine == "":
        return None
    if theirs == "":
        return f"{mine} may not include {path}, which belongs to no layer"
    if theirs != mine and theirs not in TOOL[mine]:
        return f"{mine} may not include {theirs} ({path})"
    within, below = layer(name, "tool/report"), layer(path, "tool/report")
    if within in REPORT and below in REPORT and below != within and below not in REPORT[within]:
        return f"report/{within} may not include report/{below} ({path})"
    return None


def check_file(root, name):
    problems = []
    code = source.code_only(source.read(root, name))

    def add(position, text):
        problems.append(f"{name}:{code.count(chr(10), 0, position) + 1}: {text}")

    library = name.startswith("include/linn/")
    # main.cpp may lie directly in tool/; in detail every file belongs to a layer.
    known = (("tool", {"", *TOOL}), (DETAIL, LIBRARY))
    for base, layers in known:
        mine = layer(name, base)
        if mine is not None and mine not in layers:
            return [f"{name}:1: {base}/{mine} is in no layer: see the tables in layers.py"]
    for match in INCLUDE.finditer(code):
        quote, target = match.groups()
        path = resolve(root, name, quote, target)
        problem = library_include(name, target, path) if library else (
            tool_include(name, path) if path else None)
        if problem:
            add(match.start(), problem)
    if library and layer(name, DETAIL) != "sync":
        for match in re.finditer(r"\bmemory_order", code):
            add(match.start(), "memory orders are named only below detail/sync")
    return problems


def circles(table):
    """What a table lets a folder include that does not stand above it."""
    order = list(table)
    return [f"scripts/lint/layers.py:1: {below} must stand above {folder}"
            for place, folder in enumerate(order) for below in table[folder] if below not in order[:place]]


def check(root):
    problems = circles(TOOL) + circles(REPORT)
    for name in source.files(root):
        if name.endswith(source.CXX) and name.startswith(("include/linn/", "tool/")):
            problems += check_file(root, name)
    return problems


CORE, SYNC, OS = DETAIL + "/core/a.hpp", DETAIL + "/sync/a.hpp", DETAIL + "/os/a.hpp"
PUBLIC = "include/linn/pool.hpp"
TYPE = TYPES + "/a.hpp"
PLANTED = [
    ({CORE: "#include <linn/detail/sync/a.hpp>\n", SYNC: ""}, "core may not include sync"),
    ({CORE: '#include "../sync/a.hpp"\n', SYNC: ""}, "core may not include sync"),
    ({CORE: "#include <linn/detail/os/a.hpp>\n", OS: ""}, "core may not include os"),
    ({CORE: "#  include <atomic>\n"}, "knows no threads"),
    ({CORE: "#include <sys/mman.h>\n"}, "knows no operating system"),
    ({OS: "#include <atomic>\n"}, "knows no threads"),
    ({OS: "#include <linn/detail/core/a.hpp>\n", CORE: ""}, "os may not include core"),
    ({SYNC: "#include <linn/pool.hpp>\n", PUBLIC: ""}, "may not include the public header"),
    ({PUBLIC: "#include <iostream>\n"}, "too heavy"),
    ({PUBLIC: "#include <linn/nosuch.hpp>\n"}, "does not exist"),
    ({PUBLIC: "int x = std::memory_order_relaxed;\n"}, "memory orders"),
    ({PUBLIC: '#include "../../tool/cli/a.hpp"\n', "tool/cli/a.hpp": ""}, "library may not"),
    ({DETAIL + "/new/a.hpp": ""}, "is in no layer"),
    ({DETAIL + "/a.hpp": ""}, "is in no layer"),
    ({"tool/new/a.cpp": ""}, "is in no layer"),
    ({"tool/trace/a.cpp": '#include "cli/a.hpp"\n', "tool/cli/a.hpp": ""}, "trace may not"),
    ({"tool/report/render/a.cpp": '#include "../commands/a.hpp"\n', "tool/report/commands/a.hpp": ""},
     "report/render may not include report/commands"),
    ({CORE: "// #include <atomic>\n/* memory_order */\n#include <cstddef>\n"}, None),
    ({SYNC: "#include <linn/detail/core/a.hpp>\n#include <atomic>\nstd::memory_order x;\n",
      CORE: "#include <linn/config.hpp>\n", "include/linn/config.hpp": ""}, None),
    ({TYPE: "#include <linn/detail/core/a.hpp>\n", CORE: ""}, "types may not include"),
    ({TYPE: "#include <linn/pool.hpp>\n", PUBLIC: ""}, "types may not include"),
    ({TYPE: "#include <atomic>\n"}, "types knows no threads"),
    ({TYPE: "#include <linn/types/b.hpp>\n#include <span>\n", TYPES + "/b.hpp": "",
      CORE: "#include <linn/types/a.hpp>\n", PUBLIC: "#include <linn/types/a.hpp>\n"}, None),
    ({"tool/main.cpp": '#include "cli/a.hpp"\n', "tool/cli/a.hpp": "#include <thread>\n"}, None),
]

assert circles({"low": [], "high": ["low"]}) == []
assert circles({"high": ["low"], "low": []}) == ["scripts/lint/layers.py:1: low must stand above high"]

if __name__ == "__main__":
    source.main(check, PLANTED)
