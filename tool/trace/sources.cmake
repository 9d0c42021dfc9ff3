# SPDX-License-Identifier: Apache-2.0
# The trace format: what the recorder writes and everything else reads.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/chunk_frame.cpp
          ${folder}/corruption.cpp
          ${folder}/frame.cpp
          ${folder}/image_table.cpp
          ${folder}/program_cost.cpp
          ${folder}/reader.cpp
          ${folder}/recording_facts.cpp
          ${folder}/redaction.cpp
          ${folder}/stream_cursor.cpp
          ${folder}/trace_counts.cpp
          ${folder}/trace_file.cpp
          ${folder}/writer.cpp)
