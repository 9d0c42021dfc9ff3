# SPDX-License-Identifier: Apache-2.0
"""The single files of scripts/amalgamate say to the compiler what include/linn says, in one file each.

Token for token what the headers are, so all tests of those hold for them; alone without a warning; in several translation
units, mixed with each other and with the headers; with LINN_CHECKED; with LINN_COMPILED and linn.cpp; in C++17 one error.
"""
import re
import shutil

import package

USER = """#include "linn_pool.hpp"
#include <linn/types/misuse.hpp>
#include "linn.hpp"

#include <cstdio>

int other();

int main() {
    int* number = linn::pool<int>::create(41);
    *number += other();
    const bool right = *number == 42;
    linn::pool<int>::destroy(number);
    const linn::pool_statistics now = linn::pool<int>::statistics();
    std::printf("%s %zu\\n", right ? "right" : "wrong", now.live);
}
"""
OTHER = """#include "linn.hpp"

int other() {
    int* one = linn::pool<int>::create(1);
    const int value = *one;
    linn::pool<int>::destroy(one);
    return value;
}
"""
CHECKED = """#include "linn_pool.hpp"

int main() {
    linn::pool<int>::deallocate(linn::pool<int>::allocate() + 1);
}
"""


def parts_of(text):
    return set(re.findall(r"^// ==== <(.*)>$", text, re.MULTILINE))


def preprocessed(compiler, text, folder):
    return package.run_quietly(compiler, "-std=c++20", "-E", "-P", "-x", "c++", f"-I{folder}", "-", given=text).split()


def main():
    work, compiler = package.start()
    amalgamate = package.ROOT / "scripts/amalgamate"
    folder, again, include = work / "single", work / "again", package.ROOT / "include"
    for out in (folder, again):
        package.run(amalgamate, "--out", out)
    for name in ("linn.hpp", "linn_pool.hpp", "linn.cpp"):
        if (folder / name).read_bytes() != (again / name).read_bytes():
            package.fail(f"{name} is not the same when it is made again")

    for header in ("linn", "pool"):
        text = (folder / ("linn.hpp" if header == "linn" else "linn_pool.hpp")).read_text(encoding="utf-8")
        package.expect(rf"\A// SPDX.*\n// Linn {package.version()}, .*\n.*Apache License", text)
        top = re.search(r"^#ifdef LINN_ABI // C\+\+20\n\n((?:#include <.*>\n)+)", text, re.MULTILINE).group(1)
        one = preprocessed(compiler, top + text, folder)
        if one != preprocessed(compiler, top + f"#include <linn/{header}.hpp>\n", include):
            package.fail(f"the single file of <linn/{header}.hpp> says something else than the header")
        twice = [part for part in ("sync/thread_cache.hpp", "sync/depot.hpp", "core/slab.hpp") if text.count(f"// ==== <linn/detail/{part}>") != 1]
        if twice:
            package.fail(f"the single file of <linn/{header}.hpp> does not have these once: {twice}")
    pool = (folder / "linn_pool.hpp").read_text(encoding="utf-8")
    if {"linn/recycler.hpp", "linn/memory_resource.hpp", "linn/buffer_pool.hpp"} & parts_of(pool) or "memory_resource>" in pool:
        package.fail("linn_pool.hpp holds more than the pool")

    main_cpp, other_cpp = package.write(work / "main.cpp", USER), package.write(work / "other.cpp", OTHER)
    flags = ["-std=c++20", *package.STRICT, "-pthread", f"-I{folder}"]
    package.run(compiler, *flags, f"-I{include}", main_cpp, other_cpp, "-o", work / "user")
    if package.run(work / "user") != "right 0\n":
        package.fail("the user's program does something else")
    compiled = [*flags, f"-I{include}", "-DLINN_COMPILED"]
    package.expect("undefined reference", package.run(compiler, *compiled, main_cpp, other_cpp, "-o", work / "compiled", fails=True))
    package.run(compiler, *compiled, main_cpp, other_cpp, folder / "linn.cpp", "-o", work / "compiled")
    if package.run(work / "compiled") != "right 0\n":
        package.fail("the user's program does something else with linn.cpp")
    for clang in filter(shutil.which, ["clang++-19"]):
        for source in (main_cpp, other_cpp):
            package.run(clang, *flags, f"-I{include}", "-fsyntax-only", source)

    checked = package.write(work / "checked.cpp", CHECKED)
    package.run(compiler, *flags, "-DLINN_CHECKED=1", checked, "-o", work / "checked")
    package.expect("no object starts at this address", package.run(work / "checked", fails=True))

    said = package.run(compiler, "-std=c++17", "-fsyntax-only", f"-I{folder}", other_cpp, fails=True)
    errors = [line for line in said.splitlines() if "error: " in line and "other.cpp" not in line]
    if len(errors) != 1 or "linn needs C++20: compile with -std=c++20" not in errors[0]:
        package.fail("in C++17 it does not say in one error that it needs C++20")


main()
