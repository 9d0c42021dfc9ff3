# SPDX-License-Identifier: Apache-2.0
# Linux with musl instead of glibc. Debian has musl for C only: its musl-gcc knows no C++ library, and libstdc++
# is built for glibc. Zig brings musl and libc++ in source and builds them once, in minutes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
find_program(LINN_ZIG NAMES zig python-zig NO_CMAKE_FIND_ROOT_PATH REQUIRED
             DOC "The program zig, or python-zig of the Python package ziglang")
set(CMAKE_CXX_COMPILER ${LINN_ZIG} c++)
set(CMAKE_CXX_COMPILER_TARGET x86_64-linux-musl)
# Zig checks for undefined behaviour wherever nothing is optimised, but then links without what reports it.
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined")

# They run as they are, being static.
set(CMAKE_CROSSCOMPILING_EMULATOR "")
