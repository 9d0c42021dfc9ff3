#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles all headers and all examples for Windows as MSVC does, as far as Clang can: nothing is linked or run.

usage: msvc.py CLANG INCLUDE EXAMPLES

Once as clang-cl, which is Clang and knows its words; once with what MSVC itself is given, for which Clang is told to forget its
name in front of Linn's headers. There, no word of another compiler may be left behind the preprocessor. Both with and without
LINN_CHECKED. The standard library is libc++; the C library is this machine's, with integers of the sizes that Windows has.
"""
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

TARGET = ["--target=x86_64-pc-windows-msvc", "-fms-compatibility", "-fms-extensions", "-std=c++20", "-nostdinc", "-ffreestanding",
          "-D_LIBCPP_NO_VCRUNTIME", "-D_LIBCPP_HAS_NO_LOCALIZATION", "-D_BITS_STDINT_INTN_H"]
# <inttypes.h> of this machine has its own sizes; the examples are in namespaces, and one defines LINN_CHECKED; Clang does not
# know all attributes of MSVC.
WARNINGS = ["-Wall", "-Wextra", "-Werror", *(f"-Wno-{name}" for name in (
    "format", "return-type", "microsoft-template", "macro-redefined", "unknown-attributes", "ignored-attributes"))]
# Words of other compilers, which MSVC would not know.
FOREIGN = re.compile(r"__gnu__|\bgnu::|\bclang::|__builtin_(?!offsetof)\w+|__attribute__|\b(?:__)?asm(?:__)?\b|__int128|__PRETTY_FUNCTION__|__extension__"
                     r"|#pragma GCC|_Pragma")
INCLUDE = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
# What <math.h> of Windows declares, and this machine's does not.
BEFORE = "bool isnan(double);\nbool isinf(double);\nbool isfinite(double);\nbool signbit(double);\n#include <stdint.h>\n"
CLANG_CL, MSVC = "clang-cl", "MSVC"


def text_of(headers, examples, compiler):
    """One translation unit of everything. Headers of others come first, which are compiled by Clang in any case."""
    sources = headers + examples
    others = sorted({name for path in sources for name in INCLUDE.findall(path.read_text(encoding="utf-8")) if re.fullmatch(r"\w+", name)})
    lines = [BEFORE, *(f"#include <{name}>" for name in others)]
    if compiler == MSVC:
        lines += ["#include <intrin.h>", "#undef __clang__"]
    lines += [f"#include <{path}>" for path in headers]
    for number, path in enumerate(examples):
        lines.append(f'namespace example_{number} {{\n#include "{path}"\n}}')
    return "\n".join(lines) + "\n"


def foreign_words(command, include, text):
    """Where, behind the preprocessor, Linn's headers have words of other compilers."""
    run = subprocess.run([*command, "-E", "-x", "c++", "-"], input=text, text=True, capture_output=True, check=False)
    found, place = [], ""
    for line in run.stdout.splitlines():
        marker = re.match(r'#(?:line)? (\d+) "([^"]*)"', line)
        if marker:
            place = marker[2]
        elif place.startswith(str(include)) and (word := FOREIGN.search(re.sub(r'"(?:\\.|[^"\\])*"', '""', line))):
            found.append(f"{place}: {word[0]}")
    return sorted(set(found))


def main():
    clang, include, examples = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    where = subprocess.run([clang, "-print-resource-dir"], text=True, capture_output=True, check=True).stdout.strip()
    library = pathlib.Path(where).parents[2] / "include/c++/v1"
    if not library.is_dir():
        print(f"linn: skipped: {clang} has no libc++ in {library}")
        return 77
    headers = sorted((include / "linn").glob("*.hpp"))
    # `operator new` of a program cannot stand in a namespace.
    programs = [path for path in sorted(examples.glob("*.cpp")) if "operator new(" not in path.read_text(encoding="utf-8")]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/bits")
        pathlib.Path(f"{folder}/bits/wordsize.h").write_text("#define __WORDSIZE 32\n#define __WORDSIZE_TIME64_COMPAT32 1\n", encoding="utf-8")
        places = [library, folder, f"{where}/include", f"/usr/include/{platform.machine()}-linux-gnu", "/usr/include"]
        command = [clang, *TARGET, f"-I{include}", *(option for place in places for option in ("-isystem", str(place)))]
        for compiler in (CLANG_CL, MSVC):
            text = text_of(headers, programs, compiler)
            for define in ("-DLINN_CHECKED=0", "-DLINN_CHECKED=1"):
                run = subprocess.run([*command, *WARNINGS, define, "-fsyntax-only", "-x", "c++", "-"], input=text, text=True, capture_output=True,
                                     check=False)
                if run.returncode != 0:
                    problems.append(f"{compiler} {define}: {run.stderr}")
            words = foreign_words(command, include, text)
            if compiler == MSVC:
                problems += words
            elif not words:
                problems.append("the words that clang-cl is given are not found, so a search for them means nothing")
    print("\n".join(problems) or f"{len(headers)} headers and {len(programs)} examples compile")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
