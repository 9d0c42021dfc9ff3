#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""detail/core/compiler.hpp is the only header that names a compiler, its attributes and builtins, assembly, or a processor.

Operating systems are named there and below detail/os.
"""
import re

import source

HOME = "include/linn/detail/core/compiler.hpp"
# How Windows declares its functions; every compiler for it reads that.
WINDOWS = "include/linn/detail/os/windows.hpp"

# What a compiler, a processor or a system names begins with two underscores, or with one and a capital letter.
NAMES = re.compile(r"\b(?:__(?!cpp_|STDCPP_)|_[A-Z]|_mm_)\w+|\b(?:__)?asm(?:__)?\b|\busing (?:gnu|clang|msvc)\b|\b(?:gnu|clang|msvc)::\w+"
                   r"|\[\[[^\]]*\b(?:likely|unlikely|no_unique_address)\b|#[ \t]*pragma\b")
SANITIZERS = "include/linn/detail/sanitizer/"
SANITIZER = re.compile(r"__[alm]san_\w+")

# Of these, what files below detail/os may not name either.
SYSTEMS = "include/linn/detail/os/"
COMPILER = re.compile(r"__(?:GNUC|clang|cplusplus|MINGW|CYGWIN|ELF|PIC|PIE|SANITIZE)\w*|_MS\w+|_M_\w+"
                      r"|__has_(?!include)\w+|__(?:x86_64|i386|aarch64|arm|riscv)__|(?:__)?asm(?:__)?|__attribute\w*|__declspec|__builtin_\w+"
                      r"|__\w*inline\w*|__u?int128\w*|__assume|__\w+_FUNCTION__|__FUNCSIG__|_Pragma|__pragma|__extension__"
                      r"|__(?:gnu|likely|unlikely|deprecated|noreturn)__|using .*|\w+::\w+|[\[#].*")


def check(root):
    problems = []
    for name in source.files(root):
        if not name.startswith("include/") or name == HOME:
            continue
        code = source.code_only(source.read(root, name))
        for found in NAMES.finditer(code):
            if name.startswith(SYSTEMS):
                allowed = not COMPILER.fullmatch(found[0]) or name == WINDOWS and found[0] == "__declspec"
            else:
                allowed = name.startswith(SANITIZERS) and SANITIZER.fullmatch(found[0])
            if not allowed:
                problems.append(f"{name}:{code.count(chr(10), 0, found.start()) + 1}: {found[0]} belongs in {HOME}, or below {SYSTEMS}")
    return problems


A = "include/linn/a.hpp"
PLANTED = [
    ({A: text}, "belongs in")
    for text in ("#if defined(__GNUC__)\n", "#ifdef _MSC_VER\n", "int n = __builtin_ctz(4);\n", "__attribute__((__weak__)) int x;\n",
                 'asm("");\n', "__asm__ volatile();\n", "[[__gnu__::__cold__]] int x();\n", "[[gnu::cold]] int x();\n",
                 "[[nodiscard, __deprecated__]] int x();\n", "unsigned __int128 x;\n", "#pragma GCC diagnostic push\n",
                 "#if __x86_64__\n", "#if __cplusplus < 1\n", "__declspec(noinline) int x();\n",
                 "#if defined(_WIN32)\n", "#ifdef __FreeBSD__\n", "[[using gnu: cold]] int x();\n", "[[nodiscard,\n  unlikely]] int x();\n",
                 "int* __restrict x;\n", "_mm_pause();\n", "#ifdef __LP64__\n")
] + [
    ({SYSTEMS + "a.hpp": text}, "belongs in") for text in ("int n = __builtin_ctz(4);\n", "[[__gnu__::__cold__]] int x();\n", "#if __GNUC__\n")
] + [
    ({HOME: "#if defined(__GNUC__) && defined(__linux__)\n", SYSTEMS + "a.hpp": "#if defined(__APPLE__)\n", WINDOWS: "__declspec(dllimport) int __stdcall F();\n",
      A: '[[nodiscard, LINN_DETAIL_COLD]] int x(); // asm, __GNUC__\nconst char* y = "__attribute__";\n',
      "tests/a.cpp": "#if __GNUC__\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
