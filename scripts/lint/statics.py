#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No static variable of the library is made at run time.

The compiler makes such a local variable under a guard. A thread that waits inside the guard for a lock of the library, or of
anybody, may not exist in the child of a fork; then the guard says "in progress" there for ever. So it is `constinit` or
`constexpr`, or listed here with the reason why nobody can wait. `immortal` is for objects that cannot be `constinit`.
"""
import re

import source

SCOPE = "include/linn/"
DECLARATION = re.compile(r"\b(?:static|thread_local)\b(?!_)[^;={(]*[;={(]", re.DOTALL)
CONSTANT = re.compile(r"\b(?:constinit|constexpr|consteval)\b")
ONCE = re.compile(r"\b(?:once_flag|call_once|pthread_once)\b")

# (file, name): why nobody waits there for a thread that a fork leaves behind.
ALLOWED = {
    ("include/linn/detail/os/windows.hpp", "wait"): "Windows, which has no fork",
    ("include/linn/detail/os/windows.hpp", "wake"): "Windows, which has no fork",
    ("include/linn/node_types.hpp", "entry"): "made when the module is loaded, not under a guard that is waited for",
    ("include/linn/node_types.hpp", "added"): "made when the module is loaded, not under a guard that is waited for",
}


def check(root):
    problems = []
    for name in source.files(root):
        if not (name.startswith(SCOPE) and name.endswith(source.CXX)):
            continue
        code = source.code_only(source.read(root, name))
        for match in DECLARATION.finditer(code):
            before = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
            text = before + match.group()
            if match.group().endswith("(") or CONSTANT.search(text):  # a function, or made by the compiler
                continue
            words = re.findall(r"\w+", match.group())
            if (name, words[-1]) not in ALLOWED:
                line = code.count("\n", 0, match.start()) + 1
                problems.append(f"{name}:{line}: static variable '{words[-1]}' is neither constinit nor listed")
        for match in ONCE.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{name}:{line}: {match.group()} is a guard that a fork may leave behind")
    return problems


FILE = SCOPE + "a.hpp"
PLANTED = [
    ({FILE: "void f() {\n    static const thing one;\n}\n"}, "a.hpp:2: static variable 'one'"),
    ({FILE: "void f() {\n    static thing* const one = make();\n}\n"}, "a.hpp:2: static variable 'one'"),
    ({FILE: "void f() { static auto one{make()}; }\n"}, "'one'"),
    ({FILE: "void f() { thread_local thing one; }\n"}, "'one'"),
    ({FILE: "struct s { static inline thing one = make(); };\n"}, "'one'"),
    ({FILE: "std::once_flag once;\n"}, "a.hpp:1: once_flag"),
    ({FILE: "struct s {\n    static thing f(int) noexcept;\n    static constexpr int n = 1;\n};\n"}, None),
    ({FILE: "inline constinit thread_local int n = 0;\nstatic_assert(true);\n"}, None),
    ({FILE: "void f() { static constinit thing one{}; } // static thing two;\n"}, None),
    ({SCOPE + "node_types.hpp": "static inline thing entry{make()};\n"}, None),
    ({"tool/a.cpp": "static thing one = make();\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
