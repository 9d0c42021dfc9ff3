# SPDX-License-Identifier: Apache-2.0
# What each allocator would have cost.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/agreement.cpp ${folder}/build_program.cpp ${folder}/estimates.cpp ${folder}/program.cpp ${folder}/program_file.cpp
          ${folder}/remarks.cpp ${folder}/replay_client.cpp ${folder}/replayer.cpp ${folder}/results.cpp)
