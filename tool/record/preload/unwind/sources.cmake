# SPDX-License-Identifier: Apache-2.0
# What a library for recording needs of the unwinder: add ${linn_unwind_sources} to it. Frames of the library itself
# must be in its .eh_frame.
set(linn_unwind_sources
    ${CMAKE_CURRENT_LIST_DIR}/capture.cpp
    ${CMAKE_CURRENT_LIST_DIR}/cfi.cpp
    ${CMAKE_CURRENT_LIST_DIR}/frame_entry.cpp
    ${CMAKE_CURRENT_LIST_DIR}/library_walker.cpp
    ${CMAKE_CURRENT_LIST_DIR}/stack_cache.cpp
    ${CMAKE_CURRENT_LIST_DIR}/stack_memory.cpp
    ${CMAKE_CURRENT_LIST_DIR}/stack_table.cpp
    ${CMAKE_CURRENT_LIST_DIR}/walker.cpp)
set_source_files_properties(${linn_unwind_sources} PROPERTIES COMPILE_OPTIONS -fasynchronous-unwind-tables)
