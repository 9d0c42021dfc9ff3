# SPDX-License-Identifier: Apache-2.0
"""Runs `linn lint` with the real clang-tidy."""
import json
import pathlib
import re

from cases import check, skip
from lint_cases import Tool  # noqa: F401: pytest takes the tool from here

REAL = """#include <memory>
#include "line.hpp"
std::shared_ptr<Line> f() { auto p = std::make_shared<Line>(); return p; }
template <class T> void g() { auto p = std::make_unique<T>(); p->size = 1; }
void h() { g<Line>(); g<Page>(); }
void quiet() { auto p = std::make_unique<Line>(); p->size = 1; } // NOLINT(linn-zero-fill)
"""
LINE = "#pragma once\nstruct Line { char data[8 << 20]; int size = 0; };\nstruct Page { char data[4096]; int size = 0; };\n"


def real(tool, *arguments, **more):
    """With the clang-tidy and the plugin that linn finds by itself; skipped where there are none."""
    probe = tool.call(*arguments, "--json", "-", fake=False, **more)
    if probe.returncode == 2 and re.search(r"no plugin|no clang-tidy", probe.stderr):
        skip(probe.stderr.splitlines()[0])
    check(probe.stdout, probe.stderr)
    return json.loads(probe.stdout)


def case_real(tool):
    tool.source("line.hpp", LINE, entry=False)
    tool.source("src/a.cpp", REAL, ["g++", "-std=c++20", "-I.", "-c", "src/a.cpp"])
    tool.source("src/bad.cpp", "nonsense;\n")
    tool.database()
    result = real(tool)
    found = [(f["line"], f["bytes"]) for f in result["findings"]]
    check(found == [(3, 8388608), (4, 8388608)], result)
    check(result["findings"][0]["what"] == "std::make_shared<Line>", result["findings"][0]["what"])
    check(not any("linn_finding" in note["message"] for f in result["findings"] for note in f["notes"]), result["findings"])
    check(result["findings"][0]["members"] == [{"name": "data", "bytes": 8388608}], result["findings"][0])
    check(len(result["failed_files"]) == 1 and "bad.cpp:1:1" in result["failed_files"][0]["reason"], result["failed_files"])


FORCED = "#pragma once\n#include <vector>\n#define ROW std::vector<char>\n"
ROW = "int unused_static() { int odd; return 0; }\nvoid f(char* to) { ROW row(4096); for (char& c : row) { c = *to; } }\n"
GCC = ("g++ -Werror -fmax-errors=3 -fno-semantic-interposition -mfentry --param max-inline-insns-single=9 -fplugin=annobin "
       "-specs=some.specs -fmodule-mapper=x -Wl,-z,now -fprofile-use -mtune=intel -mfunction-return=thunk -mfpmath=387+sse "
       "-fcf-protection=check -fdiagnostics-format=json -Wp,-MD,gcc.dependencies")
FRONT_END = "-Xclang -include-pch -Xclang forced.hpp.pch -Xclang -include -Xclang forced.hpp"
COMMANDS = {"werror": "g++ -Werror -Wall -Werror=unused-variable -pedantic-errors -Wduplicated-cond -include forced.hpp",
            "quiet": "g++ -w -includeforced.hpp", "gcc": f"{GCC} -Winvalid-pch -include forced.hpp",
            "ccache": "/usr/bin/ccache g++ -Werror -include forced.hpp", "icecc": "icecc g++ -include forced.hpp",
            "env": "env CCACHE_DIR='x y' sccache c++ '-DX=\"y z\"' -include forced.hpp", "clang": f"clang++ -Winvalid-pch {FRONT_END}",
            "pch": "clang++ -include-pch forced.hpp.pch -include forced.hpp", "missing": "g++ -include missing.hpp"}


def case_real_commands(tool):
    """Commands as builds write them: -Werror with warnings, what only GCC knows, launchers, precompiled headers, -include."""
    tool.source("forced.hpp", FORCED, entry=False)
    for form in ("gch", "pch"):
        tool.source(f"forced.hpp.{form}", b"of another compiler\0", entry=False)
    for name, words in COMMANDS.items():
        tool.source(f"{name}.cpp", ROW, entry=False)
        tool.entries.append({"directory": str(tool.folder), "file": f"{name}.cpp",
                             "command": f"{words} -std=c++17 -MD -MF {name}.d -o {name}.o -c {name}.cpp"})
    tool.database()
    result = real(tool)
    check([pathlib.Path(f["file"]).name for f in result["failed_files"]] == ["missing.cpp"], result["failed_files"])
    check(not (tool.folder / "gcc.dependencies").exists(), "the build's file")
    found = sorted(f["path"] for f in result["findings"] if (f["line"], f["bytes"], f["class"]) == (2, 4096, "removable"))
    check(found == sorted(f"{name}.cpp" for name in COMMANDS if name != "missing"), found)


def case_real_fix(tool):
    """What --fix-notes writes compiles, and leaves nothing to find."""
    tool.source("line.hpp", LINE, entry=False)
    a = tool.source("a.cpp", REAL, ["g++", "-std=c++20", "-c", "a.cpp"])
    tool.database()
    result = real(tool, "--fix-notes", "--checks", "fill")
    states = [f["fix"]["state"] for f in result["findings"]]
    check(set(states) == {"applied"}, result["findings"])
    check("std::make_shared_for_overwrite<Line>()" in a.read_text(), a.read_text())
    check(real(tool, "--checks", "fill")["findings"] == [], "nothing is left")
