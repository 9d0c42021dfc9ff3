#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles one header alone, in the ways users do, every warning an error.

usage: check.py linn/pool.hpp -- COMPILER FLAGS...
"""
import subprocess
import sys

STD = "#include <algorithm>\n#include <limits>\n#include <new>\n#include <string>\n#include <vector>\n"
STD += "#include <atomic>\n#include <bit>\n#include <chrono>\n#include <cstring>\n#include <list>\n"
STD += "#include <forward_list>\n#include <functional>\n#include <map>\n#include <memory>\n#include <memory_resource>\n"
STD += "#include <mutex>\n#include <ostream>\n#include <set>\n#include <span>\n#include <tuple>\n"
STD += "#include <unordered_map>\n#include <unordered_set>\n#include <utility>\n"


def variants(header):
    include = f"#include <{header}>\n"
    yield "alone", include, []
    if "/detail/" in header:
        return  # only reached through a public header, which is tried in every way
    yield "twice", include + include, []
    # windows.h defines these two, and most of the world includes it before anything else.
    poison = "#define min(a, b) poisoned_min\n#define max(a, b) poisoned_max\n"
    yield "min and max are macros", STD + poison + include, []
    yield "no exceptions, no RTTI", include, ["-fno-exceptions", "-fno-rtti"]
    yield "C++23", include, ["-std=c++23"]


def main():
    split = sys.argv.index("--")
    header, compiler = sys.argv[1], sys.argv[split + 1:]
    failed = False
    for name, text, flags in variants(header):
        command = compiler + flags + ["-Werror", "-fsyntax-only", "-x", "c++", "-"]
        run = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
        print(f"{header}: {name}: {'ok' if run.returncode == 0 else 'FAILED'}")
        if run.returncode != 0:
            failed = True
            print(" ".join(command), "<<'END'\n" + text + "END\n" + run.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
