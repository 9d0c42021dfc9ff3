# SPDX-License-Identifier: Apache-2.0
# linn_add_module(<target>): adds a library that compiles the module `linn` with the project's own flags. A function and not a target,
# because a target with a module ends the configuration of every project whose CMake or generator has no modules.
function(linn_add_module target)
  # In a project for an older CMake, newer ones do not look for imports, and the compiler then finds no module.
  if(CMAKE_VERSION VERSION_LESS 3.28 OR (CMAKE_MINIMUM_REQUIRED_VERSION VERSION_LESS 3.28 AND NOT CMAKE_CXX_SCAN_FOR_MODULES))
    message(FATAL_ERROR "linn: the module needs CMake 3.28 or newer, and cmake_minimum_required(VERSION 3.28) or set(CMAKE_CXX_SCAN_FOR_MODULES ON)")
  endif()
  # CMake would go on, and start a program whose name ends in -NOTFOUND.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_CXX_COMPILER_CLANG_SCAN_DEPS)
    string(REGEX MATCH "^[0-9]+" version ${CMAKE_CXX_COMPILER_VERSION})
    message(FATAL_ERROR "linn: the module needs clang-scan-deps, which is missing; Debian's package is clang-tools-${version}. \
Then configure in an empty folder.")
  endif()
  get_filename_component(folder ${linn_MODULE} DIRECTORY)
  add_library(${target})
  target_sources(${target} PUBLIC FILE_SET CXX_MODULES BASE_DIRS ${folder} FILES ${linn_MODULE})
  target_link_libraries(${target} PUBLIC linn::linn)
endfunction()
