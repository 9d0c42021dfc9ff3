#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""detail/core/compiler.hpp is the only header that names a compiler, its attributes and builtins, assembly, or a processor.

Operating systems are named there and below detail/os.
"""
import re

import source

HOME = "include/linn/detail/core/compiler.hpp"
# How Windows declares its functions; every compiler for it reads that.
WINDOWS = "include/linn/detail/os/windows/"

COMPILER = re.compile(
    r"\b(__GNUC__|__clang__|_MSC_VER|_MSVC_LANG|__cplusplus|__MINGW\w+|__CYGWIN__|__ELF__|__PIC__|__PIE__|__SANITIZE_\w+"
    r"|__has_(?:feature|builtin|attribute|cpp_attribute|extension)"
    r"|__(?:x86_64|i386|aarch64|arm|riscv)__|_M_\w+"
    r"|(?:__)?asm(?:__)?|__attribute__|__declspec|__builtin_\w+|__(?:force|always_)inline|__u?int128(?:_t)?|__assume"
    r"|__PRETTY_FUNCTION__|__FUNCSIG__|_Pragma|__pragma|__extension__)\b"
    r"|\b(?:gnu|__gnu__|clang|_Clang|msvc)::\w+"
    r"|\[\[[^\]]*\b__\w+__|\[\[no_unique_address"
    r"|#[ \t]*pragma\b")

SYSTEMS = "include/linn/detail/os/"
SYSTEM = re.compile(r"\b(_WIN32|_WIN64|__linux__|__gnu_linux__|__APPLE__|__MACH__|__unix__|__\w+BSD__|__DragonFly__|__ANDROID__|__GLIBC\w*__"
                    r"|__wasi__|__wasm\w*|__EMSCRIPTEN__|__sun|__HAIKU__|__stdcall)\b")


def check(root):
    problems = []
    for name in source.files(root):
        if not name.startswith("include/") or name == HOME:
            continue
        for number, line in enumerate(source.code_only(source.read(root, name)).split("\n"), 1):
            for found in COMPILER.finditer(line):
                if not (name.startswith(WINDOWS) and found[0] == "__declspec"):
                    problems.append(f"{name}:{number}: {found[0]} belongs in {HOME}")
            if not name.startswith(SYSTEMS):
                problems += [f"{name}:{number}: {found[0]} belongs in {SYSTEMS}" for found in SYSTEM.finditer(line)]
    return problems


A = "include/linn/a.hpp"
PLANTED = [
    ({A: text}, "belongs in")
    for text in ("#if defined(__GNUC__)\n", "#ifdef _MSC_VER\n", "int n = __builtin_ctz(4);\n", "__attribute__((__weak__)) int x;\n",
                 'asm("");\n', "__asm__ volatile();\n", "[[__gnu__::__cold__]] int x();\n", "[[gnu::cold]] int x();\n",
                 "[[nodiscard, __deprecated__]] int x();\n", "unsigned __int128 x;\n", "#pragma GCC diagnostic push\n",
                 "#if __x86_64__\n", "#if __cplusplus < 1\n", "__declspec(noinline) int x();\n",
                 "#if defined(_WIN32)\n", "#ifdef __FreeBSD__\n")
] + [
    ({HOME: "#if defined(__GNUC__) && defined(__linux__)\n", SYSTEMS + "a.hpp": "#if defined(__APPLE__)\n", WINDOWS + "a.hpp": "__declspec(dllimport) int __stdcall F();\n",
      A: '[[nodiscard, LINN_DETAIL_COLD]] int x(); // asm, __GNUC__\nconst char* y = "__attribute__";\n',
      "tests/a.cpp": "#if __GNUC__\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
