# SPDX-License-Identifier: Apache-2.0
# From addresses to functions, lines and C++ types.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/behind_call.cpp
          ${folder}/call_chain.cpp
          ${folder}/code_module.cpp
          ${folder}/compiler_of.cpp
          ${folder}/containers.cpp
          ${folder}/cxx_name.cpp
          ${folder}/debug_file.cpp
          ${folder}/debug_info.cpp
          ${folder}/elf_file.cpp
          ${folder}/memory_owner.cpp
          ${folder}/scope_index.cpp
          ${folder}/short_name.cpp
          ${folder}/source_text.cpp
          ${folder}/symbolizer.cpp
          ${folder}/type_ladder.cpp
          ${folder}/type_namer.cpp
          ${folder}/unnamed_blocks.cpp)
