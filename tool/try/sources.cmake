# SPDX-License-Identifier: Apache-2.0
# What pools would gain on a program as it is: candidates out of a trace, and their measurement.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(linn_tool_core PRIVATE ${folder}/advise_gains.cpp ${folder}/arms.cpp ${folder}/candidates.cpp
                                      ${folder}/findings.cpp ${folder}/litter.cpp ${folder}/trial.cpp ${folder}/variants.cpp)
