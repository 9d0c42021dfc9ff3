# SPDX-License-Identifier: Apache-2.0
# How tests are made and named. All legs (release, asan, ...) are run by one ctest at the end, so
# every test carries the name of its leg: release.unit.pool, asan.process.fork.

set(LINN_LEG "dev" CACHE STRING "Prefix of the names of all tests: the leg they run in")
set(LINN_TEST_GROUPS "all" CACHE STRING
  "Groups of tests to register, each a folder of tests/ or one of: lint valgrind examples; or all")

option(LINN_NIGHTLY "Register the tests that take minutes, too" OFF)

# `make check` registers them with the label `later`. What stands here takes long and says little that other tests do not
# say, or is about the tool's surroundings: real programs, a browser, a network of packages.
option(LINN_TEST_BRIEF "For `make test`: without the tests that `make check` adds" OFF)
set(LINN_LATER_GROUPS abi bench compile_fail consumer debugger dso examples fibers fuzz headers noexcept package
    stress valgrind)
set(LINN_LATER_TESTS
    "docs[.]site"
    "golden[.](loop|path[.](clang|compiled))"
    "lint[.]corpus"
    "model[.](depot[.]trim_three|pool[.]creation_three|resource[.](first_|two_trims)|without[.]unlock)"
    "mutants[.]sample"
    "process[.]tools_race_checkers"
    "tool[.](bench|download|html|measuring)"
    "tool[.]advise[.]changes_compile"
    "tool[.]allocators[.]install"
    "tool[.]pools[.](memcheck|real_programs|soak|waste)"
    "tool[.]run[.](budget|interrupt)"
    "tool[.]try[.](forms|interrupt|litter|plan|trace|unnamed)"
    "tool[.]unit[.]thread_programs")

set(LINN_TEST_SLOWDOWN 1 CACHE STRING
  "Programs are about so many times slower here, as in an emulator: tests wait longer and do less")

# Compiling is most of what a test of a change costs. Not by default: a missing include would not show.
option(LINN_QUICK_BUILD "For `make test`: precompiled headers, only line numbers for debuggers, and less optimisation \
where nothing is measured" OFF)
if(LINN_QUICK_BUILD)
  foreach(flags IN ITEMS CMAKE_CXX_FLAGS_DEBUG CMAKE_CXX_FLAGS_RELEASE)
    string(REGEX REPLACE "-g( |$)" "-g1\\1" ${flags} "${${flags}}")
  endforeach()
  # GCC collects its garbage from here on only, in KiB: a tenth of its time, for up to 1 GiB a job.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endif()

# linn_precompile(<target> <header>...): precompiles them for it, if LINN_QUICK_BUILD.
function(linn_precompile target)
  if(LINN_QUICK_BUILD)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # GCC then takes the lines of system headers for our own, and its false alarms about std::string for ours too.
    foreach(alarm IN ITEMS array-bounds maybe-uninitialized restrict stringop-overflow stringop-overread)
      target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-error=${alarm}>)
    endforeach()
  endif()
endfunction()

# linn_precompile_once(<variable> <target> <source> <header>...): linn_precompile for the first target, which <variable> then
# names, and the same file for all that are compiled alike and whose only source defines nothing that a header reads.
function(linn_precompile_once variable target source)
  file(STRINGS ${source} settings REGEX "^#define LINN_")
  if(settings OR NOT LINN_QUICK_BUILD)
    return()
  endif()
  get_target_property(options ${target} COMPILE_OPTIONS)
  if(NOT DEFINED ${variable})
    linn_precompile(${target} ${ARGN})
    set(${variable} ${target} PARENT_SCOPE)
    set(${variable}_options "${options}" PARENT_SCOPE)
  elseif(options STREQUAL ${variable}_options)
    target_precompile_headers(${target} REUSE_FROM ${${variable}})
  endif()
endfunction()

# linn_optimise_little(<target> <option>...): instead of -O2, if LINN_QUICK_BUILD. Never for what is measured.
function(linn_optimise_little target)
  if(LINN_QUICK_BUILD)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${ARGN}>")
  endif()
endfunction()

# linn_check_unoptimised(<target>): -O0 under AddressSanitizer, if LINN_QUICK_BUILD: half the time to compile, and seconds
# more to run.
function(linn_check_unoptimised target)
  if(LINN_QUICK_BUILD AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# linn_compile_together(<target> [APART <source>...]): a few sources at a time are one translation unit, if LINN_QUICK_BUILD.
# For those whose local names lie in a namespace that is called like the file. APART: the others.
function(linn_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "APART")
  if(LINN_QUICK_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    if(NOT CMAKE_UNITY_BUILD_BATCH_SIZE)
      set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 6)
    endif()
    set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# linn_add_folders(<target> [APART] <folder>...): adds all sources that lie in these folders. With LINN_QUICK_BUILD each folder
# is one translation unit, so local names differ within it; not with APART, for what is measured or runs in other programs.
function(linn_add_folders target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "APART" "" "")
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    target_sources(${target} PRIVATE ${sources})
    if(LINN_QUICK_BUILD AND NOT arg_APART)
      string(MAKE_C_IDENTIFIER ${folder} group)
      set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endif()
  endforeach()
endfunction()

# The sanitizers this leg is compiled with, "" if none. Tests shrink their sizes by it.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=([a-z,]+)")
  set(LINN_SANITIZER ${CMAKE_MATCH_1})
else()
  set(LINN_SANITIZER "")
endif()

# Sets <variable> to whether this leg runs the tests of <group>.
function(linn_test_group_enabled group variable)
  if(LINN_TEST_BRIEF AND group IN_LIST LINN_LATER_GROUPS)
    set(${variable} FALSE PARENT_SCOPE)
  elseif(LINN_TEST_GROUPS STREQUAL "all" OR group IN_LIST LINN_TEST_GROUPS)
    set(${variable} TRUE PARENT_SCOPE)
  else()
    set(${variable} FALSE PARENT_SCOPE)
  endif()
endfunction()

# ThreadSanitizer of GCC 12 cannot map its shadow on kernels that randomise 32 bits of the address.
# Without randomisation it can, but a container may forbid that: then LINN_TEST_UNABLE says why. A toolchain file sets it
# where nothing runs the programs.
set(LINN_TEST_LAUNCHER "")
if(LINN_BUILD_TESTS AND LINN_SANITIZER MATCHES "thread" AND NOT CMAKE_CROSSCOMPILING)
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/linn-tsan-probe)
  file(WRITE ${probe}.cpp "int main() {}\n")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${probe}.cpp -o ${probe}
                  COMMAND_ERROR_IS_FATAL ANY)
  # Randomisation is a lottery, so one lucky start proves little.
  set(status 0)
  foreach(attempt RANGE 1 10)
    execute_process(COMMAND ${probe} RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
    if(NOT result EQUAL 0)
      set(status ${result})
    endif()
  endforeach()
  if(NOT status EQUAL 0)
    set(LINN_TEST_LAUNCHER setarch -R)
    execute_process(COMMAND ${LINN_TEST_LAUNCHER} ${probe} RESULT_VARIABLE status OUTPUT_QUIET
                    ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
      set(LINN_TEST_UNABLE "ThreadSanitizer does not start on this kernel, nor under setarch -R")
    endif()
  endif()
endif()

# linn_add_later_folders(<folder>...): `make check` adds all their tests, and what only these need.
function(linn_add_later_folders)
  set(LINN_LATER_FOLDER TRUE)
  if(NOT LINN_TEST_BRIEF)
    foreach(folder IN LISTS ARGN)
      add_subdirectory(${folder})
    endforeach()
  endif()
endfunction()

# linn_add_test(NAME <group>.<case> COMMAND <command>... [TIMEOUT <s>] [LABELS <label>...] [NIGHTLY])
# The first part of the name becomes a label, so `ctest -L unit` works in every leg. NIGHTLY: takes longer than a change
# may wait; only there with LINN_NIGHTLY.
function(linn_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NIGHTLY" "NAME;TIMEOUT" "COMMAND;LABELS")
  if(arg_NIGHTLY AND NOT LINN_NIGHTLY)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * ${LINN_TEST_SLOWDOWN}")
  string(REGEX MATCH "^[^.]+" group ${arg_NAME})
  set(is_later "${LINN_LATER_FOLDER}")
  foreach(tests IN LISTS LINN_LATER_TESTS) # one by one: a pattern has at most nine pairs of parentheses
    if(arg_NAME MATCHES "^${tests}")
      set(is_later TRUE)
    endif()
  endforeach()
  if(is_later OR group IN_LIST LINN_LATER_GROUPS)
    if(LINN_TEST_BRIEF)
      return()
    endif()
    list(APPEND arg_LABELS later)
  endif()
  set(name ${LINN_LEG}.${arg_NAME})
  # add_test resolves a target only in the first place, where the launcher may stand.
  list(POP_FRONT arg_COMMAND program)
  set(emulator)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
    set(emulator ${CMAKE_CROSSCOMPILING_EMULATOR})
  endif()
  add_test(NAME ${name} COMMAND ${LINN_TEST_LAUNCHER} ${emulator} ${program} ${arg_COMMAND})
  set_tests_properties(
    ${name} PROPERTIES
    TIMEOUT ${arg_TIMEOUT}
    SKIP_RETURN_CODE 77
    LABELS "${group};${arg_LABELS}")
  if(LINN_SANITIZER)
    set_tests_properties(
      ${name} PROPERTIES ENVIRONMENT
      "ASAN_OPTIONS=detect_leaks=1:check_initialization_order=1:strict_init_order=1;\
UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1")
  endif()
  if(LINN_TEST_UNABLE)
    set_tests_properties(${name} PROPERTIES DISABLED TRUE)
  endif()
endfunction()

# linn_test_properties(<group>.<case> <property> <value>...): set_tests_properties without the leg.
function(linn_test_properties name)
  if(TEST ${LINN_LEG}.${name})
    set_tests_properties(${LINN_LEG}.${name} PROPERTIES ${ARGN})
  endif()
endfunction()

# linn_add_test_executable(<target> <source>...): an executable with the flags of our own code. The
# ODR object includes every public header: a forgotten `inline` is then a link error in all tests.
function(linn_add_test_executable target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE linn::linn linn_warnings)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  if(LINN_TEST_SLOWDOWN GREATER 1)
    target_compile_definitions(${target} PRIVATE LINN_TEST_SLOWDOWN=${LINN_TEST_SLOWDOWN})
  endif()
  if(TARGET linn_odr)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:linn_odr>)
  endif()
endfunction()

# Makes doctest::doctest. A cross compiler gets a copy of the header, since it must not see the folder of
# headers that the native one is in.
macro(linn_find_doctest)
  if(NOT CMAKE_CROSSCOMPILING)
    find_package(doctest REQUIRED)
  elseif(NOT TARGET doctest::doctest)
    find_path(LINN_DOCTEST doctest/doctest.h PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    file(COPY ${LINN_DOCTEST}/doctest DESTINATION ${PROJECT_BINARY_DIR}/native-headers)
    add_library(linn_doctest INTERFACE)
    add_library(doctest::doctest ALIAS linn_doctest)
    target_include_directories(linn_doctest SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/native-headers)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
      target_compile_options(linn_doctest INTERFACE -Wno-c2y-extensions) # its macros use __COUNTER__
    endif()
  endif()
endmacro()
