# SPDX-License-Identifier: Apache-2.0
# A trace in the formats of other programs.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/collapsed.cpp
          ${folder}/dhat.cpp
          ${folder}/event_lines.cpp
          ${folder}/gzip_stream.cpp
          ${folder}/pprof.cpp
          ${folder}/stack_names.cpp
          ${folder}/stack_tally.cpp
          ${folder}/trace_csv.cpp
          ${folder}/trace_export.cpp)
