# SPDX-License-Identifier: Apache-2.0
# What a stream of events amounts to: counts a site, lifetimes, peaks, a timeline.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(linn_tool_core PRIVATE ${folder}/accumulator.cpp ${folder}/analysis_text.cpp ${folder}/site_record.cpp ${folder}/statistics.cpp
                                      ${folder}/timeline_recorder.cpp)
