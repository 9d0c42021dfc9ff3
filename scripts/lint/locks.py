#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No lock of the library is unknown to the fork handlers.

`detail::mutex` tells them before it is acquired. Another lock that a thread holds during a fork would stay taken in the child. So
no other one is used, except in the files listed here.
"""
import re

import source

SCOPE = "include/linn/"
LOCK = re.compile(r"\b(?:basic_mutex|known_to_forks\{|pthread_(?:mutex|spin|rwlock)\w*|atomic_flag"
                  r"|std::(?:\w+_)?mutex|std::\w*semaphore|SRWLOCK|CRITICAL_SECTION)(?:\b|(?<=\{))")

# (file, lock): how a fork knows of it.
ALLOWED = {
    ("include/linn/detail/sync/mutex.hpp", "basic_mutex"): "what mutex is made of",
    ("include/linn/detail/sync/module.hpp", "known_to_forks{"): "the lock of the list of the fork handlers",
    ("include/linn/detail/os/leak_roots.hpp", "pthread_mutex"): "module_record holds it during a fork",
}


def check(root):
    problems = []
    for name in source.files(root):
        if not (name.startswith(SCOPE) and name.endswith(source.CXX)):
            continue
        code = source.code_only(source.read(root, name))
        for match in LOCK.finditer(code):
            lock = re.sub(r"^(pthread_(?:mutex|spin|rwlock))\w*", r"\1", match.group())
            if (name, lock) not in ALLOWED:
                line = code.count("\n", 0, match.start()) + 1
                problems.append(f"{name}:{line}: {match.group()} is a lock that no fork knows: use detail::mutex")
    return problems


FILE = SCOPE + "a.hpp"
PLANTED = [
    ({FILE: "struct s {\n    std::mutex lock;\n};\n"}, "a.hpp:2: std::mutex"),
    ({FILE: "std::recursive_mutex lock;\n"}, "a.hpp:1: std::recursive_mutex"),
    ({FILE: "basic_mutex<parking> lock;\n"}, "basic_mutex"),
    ({FILE: "mutex lock{known_to_forks{}};\n"}, "known_to_forks"),
    ({FILE: "::pthread_mutex_t lock;\n"}, "pthread_mutex_t"),
    ({FILE: "std::atomic_flag busy;\n"}, "atomic_flag"),
    ({FILE: "mutex lock_{part_}; // not a std::mutex\n"}, None),
    ({SCOPE + "detail/sync/module.hpp": "mutex lock_{known_to_forks{}};\n"}, None),
    ({"tool/a.cpp": "std::mutex lock;\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
