# SPDX-License-Identifier: Apache-2.0
# Plans: pools for programs that stay as they are.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(linn_tool_core PRIVATE ${folder}/plan.cpp ${folder}/plan_code.cpp ${folder}/plan_tables.cpp
                                       ${folder}/launch.cpp ${folder}/toml_scanner.cpp)
