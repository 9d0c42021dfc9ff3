# SPDX-License-Identifier: Apache-2.0
"""`import linn;` with Clang: by its own commands, and by CMake from the installed package, which says what is missing. GCC 12
cannot compile the module."""
import shutil

import package


def main():
    work, _ = package.start()
    clang = next(filter(shutil.which, ["clang++-19", "clang++-20", "clang++-18", "clang++"]), None)
    if clang is None:
        package.skip("no clang++ that knows modules is installed")
    here = package.ROOT / "tests/package/module"
    flags = ["-std=c++20", "-pthread", "-Wall", "-Wextra", "-Werror"]
    package.run(clang, *flags, f"-I{package.ROOT / 'include'}", "--precompile", package.ROOT / "include/linn/linn.cppm", "-o",
                work / "linn.pcm")
    package.run(clang, *flags, f"-fmodule-file=linn={work / 'linn.pcm'}", here / "use.cpp", work / "linn.pcm", "-o", work / "use")
    package.run(work / "use")

    cmake = package.tool("cmake", "cmake-3.31")
    package.run(cmake, "-S", package.ROOT, "-B", work / "library", "-DLINN_LIBRARY_ONLY=ON", f"-DCMAKE_INSTALL_PREFIX={work / 'first'}")
    package.run(cmake, "--install", work / "library")
    (work / "first").rename(work / "moved")

    def configure(source, build, *options, fails=False):
        return package.run(cmake, "-G", "Ninja", "-S", source, "-B", work / build, f"-DCMAKE_CXX_COMPILER={clang}",
                           f"-DCMAKE_PREFIX_PATH={work / 'moved'}", *options, fails=fails)

    # Empty, CMake does not look for it: as if it were not there.
    package.expect(r"needs clang-scan-deps, which is\s+missing; Debian's\s+package\s+is\s+clang-tools-\d+",
                   configure(here, "without", "-DCMAKE_CXX_COMPILER_CLANG_SCAN_DEPS=", fails=True))
    old = shutil.copytree(here, work / "old")
    package.write(old / "CMakeLists.txt", (here / "CMakeLists.txt").read_text(encoding="utf-8").replace("3.28", "3.27"))
    package.expect(r"cmake_minimum_required\(VERSION\s+3.28\)", configure(old, "refused", fails=True))
    if not shutil.which(clang.replace("clang++", "clang-scan-deps")):
        package.skip("clang-scan-deps is not installed")
    configure(here, "build")
    package.run(cmake, "--build", work / "build")
    package.run(work / "build/use")


main()
