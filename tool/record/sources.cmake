# SPDX-License-Identifier: Apache-2.0
# The recorder: the library that is loaded into the program, and the collector in the tool.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/calibration.cpp
          ${folder}/child_program.cpp
          ${folder}/collector.cpp
          ${folder}/event_store.cpp
          ${folder}/owners.cpp
          ${folder}/recorder.cpp
          ${folder}/ring_file.cpp
          ${folder}/second_run.cpp)
