# SPDX-License-Identifier: Apache-2.0
# Where value-initialisation writes zeros for nothing: drives clang-tidy over a compile database.
find_package(yaml-cpp REQUIRED)
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(
  linn_tool_core
  PRIVATE ${folder}/clean_command.cpp
          ${folder}/command_words.cpp
          ${folder}/compile_database.cpp
          ${folder}/findings.cpp
          ${folder}/fixes.cpp
          ${folder}/include_search.cpp
          ${folder}/lint.cpp
          ${folder}/project.cpp
          ${folder}/selection.cpp
          ${folder}/source_text.cpp
          ${folder}/tidy_program.cpp
          ${folder}/tidy_report.cpp
          ${folder}/tidy_run.cpp)
