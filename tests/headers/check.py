#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles one header alone, in the ways users do, every warning an error.

usage: check.py linn/pool.hpp [--every-way] -- COMPILER FLAGS...

Without --every-way, only linn/linn.hpp, which includes all others, is compiled as another dialect.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import includes  # noqa: E402

# Macros of other headers and of programs, which include those before anything else. What ours includes of others has to
# come before: the standard headers themselves do not survive all of it.
NAMES = """
small near far interface pascal cdecl hyper ERROR IN OUT OPTIONAL CALLBACK VOID DELETE TRUE FALSE CONST THIS PASCAL NEAR
FAR MEM_COMMIT GetObject SendMessage CreateFile Yield OPAQUE TRANSPARENT ABSOLUTE RELATIVE STRICT
unix linux major minor makedev I complex imaginary _A _B _C _L _N _P _S _U _X OVERFLOW UNDERFLOW DOMAIN
emit slots signals foreach forever Q_EMIT Q_SLOTS Q_SIGNALS
None Bool Status Success Always True False Above Below Complex Convex Unsorted Expose KeyPress KeyRelease FocusIn FocusOut
CursorShape Opposite ParentRelative CurrentTime GrayScale Button1 ControlMask
B0 B50 B300 B9600 ECHO NL0 NL1 TAB0 TAB1 CR0 CR1 BS0 VT0 FF0 CBAUD PARITY
noinline always_inline cold hot used unused likely unlikely noreturn deprecated aligned packed weak pure visibility nonnull
constructor destructor may_alias no_sanitize returns_nonnull vector_size tls_model flatten artificial
verify require assume ensure
MIN MAX ABS CLAMP CHECK REQUIRE ASSERT TEST FAIL INFO WARN DEBUG DEC HEX OCT BIN HIGH LOW INPUT OUTPUT DEFAULT PI
""".split()
# With parameters they concern calls only.
CALLS = "min max check abs sq round constrain".split()
POISON = "".join(f"#undef {name}\n#define {name} {{poisoned macro}}\n" for name in NAMES)
POISON += "".join(f"#undef {name}\n#define {name}(...) {{poisoned macro}}\n" for name in CALLS)

# Seconds of compile time, or initialisers of streams, in every file of a user.
HEAVY_EVERYWHERE = {"iostream", "thread", "format", "regex", "fstream"}
HEAVY = {"linn/pool.hpp": {"memory", "memory_resource", "mutex", "condition_variable", "functional"}}
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
# What a user may set or read; the rest are include guards and LINN_DETAIL_, of which nobody knows.
DOCUMENTED = ("config.hpp", "version.hpp")


def variants(header, outside, every_way):
    include = f"#include <{header}>\n"
    if "/detail/" in header:
        yield "alone", include, []
        return  # only reached through a public header, which is tried in every way
    yield "alone, twice", include + include, []
    yield "common names are macros", includes.text_of(outside) + POISON + include, []
    if not every_way and header != "linn/linn.hpp":
        return
    yield "no exceptions, no RTTI", include, ["-fno-exceptions", "-fno-rtti"]
    yield "C++23", include, ["-std=c++23"]


def macros(command, text):
    return set(MACRO.findall(includes.compile_text(command + ["-E", "-dM"], text).stdout))


def strange_macros(command, header, outside):
    """Macros that the header leaves behind, except those of others and the documented ones."""
    left = macros(command, f"#include <{header}>\n") - macros(command, includes.text_of(outside))
    known = set()
    for name in DOCUMENTED:
        text = (ROOT / "include/linn" / name).read_text(encoding="utf-8")
        known |= set(MACRO.findall(text)) | set(re.findall(r"`(LINN_\w+)`", text))
    return {m for m in left if m not in known and not re.fullmatch(r"LINN_(DETAIL_\w+|\w+_HPP)", m)}


def heavy_includes(command, header):
    """Top headers of the standard library that it pulls in and must not; libc++'s pull each other."""
    forbidden = HEAVY_EVERYWHERE | HEAVY.get(header, set())
    tops = [re.search(r"/c\+\+/\d+/(\w+)$", path) for path in includes.files(command, header)]
    return {top[1] for top in tops if top} & forbidden


def self_test(command):
    """The checks find what they look for."""
    include = ROOT / "include"
    problems = []
    if not strange_macros(command + ["-DLINN_SOMETHING_NEW=1", f"-I{include}"], "linn/config.hpp", []) <= set():
        problems.append("a macro of the command line is taken for the header's")
    if "iostream" not in heavy_includes(command, "iostream") and "/c++/v1/" not in str(includes.files(command, "new")):
        problems.append("<iostream> is not found")
    if "POISON_FREE" in strange_macros(command, "climits", []) or not strange_macros(command, "climits", []):
        problems.append("macros of <climits> are not found")
    if includes.compile_text(command + ["-fsyntax-only"], POISON + "int small;\n").returncode == 0:
        problems.append("a poisoned name compiles")
    return problems


def main():
    split = sys.argv.index("--")
    header, compiler = sys.argv[1], sys.argv[split + 1:]
    if header == "--self-test":
        problems = self_test(compiler)
        print("\n".join(problems))
        return 1 if problems else 0
    outside = includes.outside(compiler, header)
    failed = False

    def result(name, good, explanation):
        nonlocal failed
        failed = failed or not good
        print(f"{header}: {name}: {'ok' if good else 'FAILED'}")
        if not good:
            print(explanation)

    for name, text, flags in variants(header, outside, "--every-way" in sys.argv[2:split]):
        command = compiler + flags + ["-Werror", "-fsyntax-only"] + ["-Wdocumentation"] * ("clang" in compiler[0])
        run = includes.compile_text(command, text)
        result(name, run.returncode == 0, " ".join(command) + " -x c++ - <<'END'\n" + text + "END\n" + run.stderr)
    if "/detail/" not in header:
        strange = strange_macros(compiler, header, outside)
        result("no macros but the documented ones", not strange, strange)
        heavy = heavy_includes(compiler, header)
        result("no heavy headers", not heavy, heavy)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
