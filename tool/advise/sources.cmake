# SPDX-License-Identifier: Apache-2.0
# What a trace says, and what to do about it.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/advise.cpp
          ${folder}/allocation_cost.cpp
          ${folder}/analysis.cpp
          ${folder}/container_kind.cpp
          ${folder}/cost.cpp
          ${folder}/fills.cpp
          ${folder}/findings.cpp
          ${folder}/one_change.cpp
          ${folder}/owned.cpp
          ${folder}/pricing.cpp
          ${folder}/rules.cpp
          ${folder}/runtime_blocks.cpp
          ${folder}/snippet.cpp
          ${folder}/type_groups.cpp
          ${folder}/verdict.cpp)
