# SPDX-License-Identifier: Apache-2.0
# What tests of whole processes need beyond the defaults.

# Measured memory and time limits mean little when another test runs at the same time.
foreach(stem IN ITEMS memory_exchange memory_footprint memory_returns exit_pthread_keys)
  linn_test_properties(process.${stem} PROCESSORS 2)
endforeach()

linn_test_properties(process.memory_exchange TIMEOUT 300)

# Correct programs that Memcheck must find clean: threads, exit and containers.
set(LINN_VALGRIND_TESTS
    thread_tls_destructors
    exit_handlers
    exit_static_containers
    exit_owners)

# Starts Memcheck where it can. The table that it checks is also a page.
linn_test_properties(process.misuse_matrix TIMEOUT 600)
if(TARGET linn_process_misuse_matrix AND NOT LINN_SANITIZER AND NOT CMAKE_CROSSCOMPILING)
  linn_add_test(NAME docs.misuse_table COMMAND linn_process_misuse_matrix --compare
                                               ${PROJECT_SOURCE_DIR}/docs/reference/misuse.md)
endif()

# Looks for names of its own functions in what the library prints.
if(TARGET linn_process_misuse_checked AND NOT WIN32)
  target_link_options(linn_process_misuse_checked PRIVATE -rdynamic)
endif()

# In legs without it, alone.
if(TARGET linn_process_tools_lsan AND NOT LINN_SANITIZER AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=leak)
  check_cxx_source_compiles("int main() {}" LINN_HAS_LEAK_SANITIZER)
  unset(CMAKE_REQUIRED_FLAGS)
  if(LINN_HAS_LEAK_SANITIZER)
    target_compile_options(linn_process_tools_lsan PRIVATE -fsanitize=leak)
    target_link_options(linn_process_tools_lsan PRIVATE -fsanitize=leak)
  endif()
endif()

# It refuses what the headers ask the system for.
if(TARGET linn_process_error_nth_request)
  target_link_options(linn_process_error_nth_request PRIVATE LINKER:--wrap=mmap)
endif()

# With objects in slabs under AddressSanitizer too: its allocator cannot be used in the child of a process with threads. By an
# option, which linn_precompile_once compares.
foreach(stem IN ITEMS fork_busy fork_exec fork_generations fork_handlers fork_resources
                      leak_roots_fork recycler_fork_idle)
  if(TARGET linn_process_${stem} AND LINN_SANITIZER)
    target_compile_options(linn_process_${stem} PRIVATE -DLINN_ASAN_POOLS=1)
  endif()
endforeach()

# It answers instead of the system.
if(TARGET linn_process_system_answers AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  foreach(call IN ITEMS mmap munmap madvise mprotect)
    target_link_options(linn_process_system_answers PRIVATE LINKER:--wrap=${call})
  endforeach()
endif()
