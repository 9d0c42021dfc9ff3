#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every memory order stronger than relaxed says with what it pairs.

An acquire without a partner is either a bug or a cost: the comment makes the author look for it.
"""
import re

import source

SCOPE = "include/linn/detail/sync/"
BEFORE = 3
ORDER = re.compile(r"\bmemory_order(?:_|::)(acquire|release|acq_rel|seq_cst|consume)\b")


def check(root):
    problems = []
    for name in source.files(root):
        if not (name.startswith(SCOPE) and name.endswith(source.CXX)):
            continue
        text = source.read(root, name)
        lines = text.split("\n")
        for number, code in enumerate(source.code_only(text).split("\n")):
            match = ORDER.search(code)
            near = "\n".join(lines[max(0, number - BEFORE):number + 1])
            if match and "pairs with" not in near.lower():
                problems.append(f"{name}:{number + 1}: {match.group()} without a comment "
                                f"'pairs with' here or in the {BEFORE} lines before")
    return problems


LOAD = "x.load(std::memory_order_acquire);\n"
PLANTED = [
    ({SCOPE + "a.hpp": LOAD}, "a.hpp:1: memory_order_acquire"),
    ({SCOPE + "a.hpp": "// pairs with b\n\n\n\n" + LOAD}, "a.hpp:5"),
    ({SCOPE + "a.hpp": "x.load(std::memory_order::seq_cst);\n"}, "seq_cst"),
    ({SCOPE + "a.hpp": "// Pairs with b\n\n\n" + LOAD + "y.load(std::memory_order_relaxed);\n"},
     None),
    ({SCOPE + "a.hpp": "// memory_order_acquire is not code here\n"}, None),
    ({"include/linn/a.hpp": LOAD}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
