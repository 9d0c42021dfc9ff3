# SPDX-License-Identifier: Apache-2.0
# linn_warnings: what every target of this repository is compiled with, and no target of a user.
# These are the flags under which the headers promise to be silent, so a user may have them on too.
# Whether a warning is an error is the preset's business (CMAKE_COMPILE_WARNING_AS_ERROR).
add_library(linn_warnings INTERFACE)
if(MSVC) # clang-cl too, which takes options as MSVC does
  set(LINN_WARNING_FLAGS /W4)
  target_compile_options(linn_warnings INTERFACE /bigobj /utf-8)
else()
  set(LINN_WARNING_FLAGS
    -Wall
    -Wextra
    -Wpedantic
    -Wconversion
    -Wsign-conversion
    -Wshadow
    -Wundef)
endif()
target_compile_options(linn_warnings INTERFACE ${LINN_WARNING_FLAGS})
