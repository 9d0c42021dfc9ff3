# SPDX-License-Identifier: Apache-2.0
# In place of the rest of CMakeLists.txt where only the headline is measured. A clone must become a result within minutes, so
# nothing is compiled here that only other commands need, and what includes heavy headers is few translation units.
add_executable(linn_tool symbols/cxx_name.cpp symbols/short_name.cpp)
linn_add_folders(linn_tool allocators bench experiment measure report report/document report/render)
linn_add_folders(linn_tool APART allocators/catalogue bench/scenarios)
foreach(part IN ITEMS main allocators_command bench_command command given_seed help measuring/verbs option_checks report_files verb_words)
  target_sources(linn_tool PRIVATE cli/${part}.cpp)
  set_source_files_properties(cli/${part}.cpp PROPERTIES UNITY_GROUP cli) # each includes CLI11
endforeach()
foreach(part IN ITEMS allocators_document allocators_json bench_document bench_headline bench_json bench_scenario json_parts
        provenance)
  target_sources(linn_tool PRIVATE report/verbs/${part}.cpp)
  set_source_files_properties(report/verbs/${part}.cpp PROPERTIES UNITY_GROUP verbs)
endforeach()
foreach(part IN ITEMS axis bar_frame bar_plot bench_plots bench_rows curve_plot figure strip_plot)
  target_sources(linn_tool PRIVATE report/plots/${part}.cpp)
endforeach()
set(html_user linn_tool)
include(report/render/assets.cmake)
set_target_properties(linn_tool PROPERTIES OUTPUT_NAME linn)
target_include_directories(linn_tool PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(linn_tool PRIVATE linn::linn linn_warnings fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11
                                        Boost::headers)
linn_optimise_little(linn_tool -O1 -g0)
foreach(target IN ITEMS linn_bench_headline linn_allocator_probe)
  target_link_libraries(${target} PRIVATE linn_warnings)
  add_dependencies(linn_tool ${target})
endforeach()

# `linn allocators --install` finds its files here.
include(allocators/install.cmake)
