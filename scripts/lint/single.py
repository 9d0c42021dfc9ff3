#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/amalgamate can make a single file of every public header: each has the include guard that it looks for."""
import importlib.machinery
import importlib.util
import pathlib

import source

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "amalgamate"
ABI = "#ifdef LINN_ABI // C++20\n"


def check(root):
    loader = importlib.machinery.SourceFileLoader("amalgamate", str(SCRIPT))
    amalgamate = importlib.util.module_from_spec(importlib.util.spec_from_loader("amalgamate", loader))
    loader.exec_module(amalgamate)
    amalgamate.ROOT = root
    problems = []
    for header in sorted((root / "include/linn").glob("*.hpp")):
        try:
            amalgamate.single(header.stem, "")
        except SystemExit as error:
            problems.append(f"include/{error}")
    return sorted(set(problems))


def header(body, end="#endif\n#endif\n"):
    return {"include/linn/version.hpp": "#ifndef V\n#define V\n#endif\n", "include/linn/config.hpp": "#ifndef C\n#define C\n#endif\n",
            "include/linn/a.hpp": body + end}


PLANTED = [
    (header("#pragma once\nint a;\n", ""), "a.hpp has no include guard"),
    (header("#ifndef A\n#define A\n", "#endif // A\n"), "a.hpp has no include guard"),
    (header("#ifndef A\n#define A\n" + ABI, "#endif // LINN_ABI\n#endif\n"), "is not the #endif of LINN_ABI"),
    (header("#ifndef A\n#define A\n" + ABI), None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
