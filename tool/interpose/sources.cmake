# SPDX-License-Identifier: Apache-2.0
# What libraries need that stand in front of a program's allocator: they are linked into each.
set(linn_interpose_sources
    ${CMAKE_CURRENT_LIST_DIR}/boot_arena.cpp
    ${CMAKE_CURRENT_LIST_DIR}/build_id.cpp
    ${CMAKE_CURRENT_LIST_DIR}/operators.cpp
    ${CMAKE_CURRENT_LIST_DIR}/real.cpp
    ${CMAKE_CURRENT_LIST_DIR}/symbol_lookup.cpp)
