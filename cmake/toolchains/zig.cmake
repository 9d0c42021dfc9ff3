# SPDX-License-Identifier: Apache-2.0
# Other systems and processors by Zig, which brings Clang and, for each target, headers and the sources of its libraries. It
# builds these once, which takes a minute a target. CMAKE_CXX_COMPILER_TARGET is <processor>-<system>, with -gnu or -musl.
find_program(LINN_ZIG python-zig HINTS ${CMAKE_CURRENT_LIST_DIR}/../../build/package-tools/zig/bin
             NO_CMAKE_FIND_ROOT_PATH REQUIRED DOC "The program python-zig of the Python package ziglang")
set(CMAKE_CXX_COMPILER ${LINN_ZIG} c++)
# Zig checks for undefined behaviour wherever nothing is optimised, but then links without what reports it.
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined")

string(REGEX MATCH "^([^-]+)-([^-]+)" CMAKE_SYSTEM_PROCESSOR ${CMAKE_CXX_COMPILER_TARGET})
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(system ${CMAKE_MATCH_2})
set(names linux Linux windows Windows macos Darwin freebsd FreeBSD netbsd NetBSD)
list(FIND names ${system} index)
math(EXPR index "${index} + 1")
list(GET names ${index} CMAKE_SYSTEM_NAME)

# What runs the programs. Those for Linux are static.
if(system STREQUAL "windows" AND CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  include(${CMAKE_CURRENT_LIST_DIR}/wine.cmake)
elseif(NOT system STREQUAL "linux")
  set(LINN_TEST_UNABLE "nothing here runs programs for ${CMAKE_CXX_COMPILER_TARGET}")
elseif(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  find_program(LINN_QEMU qemu-${CMAKE_SYSTEM_PROCESSOR} NO_CMAKE_FIND_ROOT_PATH)
  if(LINN_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${LINN_QEMU})
    set(LINN_TEST_SLOWDOWN 10 CACHE STRING "")
  else()
    set(LINN_TEST_UNABLE "qemu-${CMAKE_SYSTEM_PROCESSOR} is not installed")
  endif()
endif()
