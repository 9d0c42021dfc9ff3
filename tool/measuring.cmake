# SPDX-License-Identifier: Apache-2.0
# In place of the rest of CMakeLists.txt where only the headline is measured. A clone must become a result within minutes, so
# nothing is compiled here that only other commands need, and what includes heavy headers is few translation units.

# linn_follow_includes(<file>...): sets `followed` to these sources and the sources of the headers that they include, at any depth.
function(linn_follow_includes)
  set(found)
  set(waiting ${ARGN})
  while(waiting)
    list(POP_FRONT waiting file)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    if(file IN_LIST found OR NOT EXISTS ${file})
      continue()
    endif()
    list(APPEND found ${file})
    cmake_path(GET file PARENT_PATH folder)
    file(STRINGS ${file} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" header "${line}")
      string(REGEX REPLACE "hpp$" "cpp" source ${header})
      list(APPEND waiting ${folder}/${header} ${folder}/${source})
    endforeach()
  endwhile()
  list(FILTER found INCLUDE REGEX "\\.cpp$")
  set(followed ${found} PARENT_SCOPE)
endfunction()

add_executable(linn_tool)
linn_add_folders(linn_tool allocators bench experiment measure report report/document report/render)
linn_follow_includes(
  cli/main.cpp cli/allocators_command.cpp cli/bench_command.cpp symbols/short_name.cpp report/commands/allocators_report.cpp
  report/commands/bench_json.cpp report/commands/bench_report.cpp report/plots/bench_plots.cpp report/render/terminal.cpp)
foreach(folder IN ITEMS cli report/commands report/plots symbols)
  set(here ${followed})
  list(FILTER here INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  target_sources(linn_tool PRIVATE ${here})
  if(folder MATCHES "cli|commands") # each includes heavy headers
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${here} PROPERTIES UNITY_GROUP ${group})
  endif()
endforeach()
set(html_user linn_tool)
include(report/render/assets.cmake)
set_target_properties(linn_tool PROPERTIES OUTPUT_NAME linn)
target_compile_definitions(linn_tool PRIVATE LINN_MEASURE_ONLY) # the commands of main.cpp
target_include_directories(linn_tool PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(linn_tool PRIVATE linn::linn linn_warnings fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11
                                        Boost::headers)
linn_optimise_little(linn_tool -O1 -g0)
foreach(target IN ITEMS linn_bench_headline linn_allocator_probe)
  target_link_libraries(${target} PRIVATE linn_warnings)
  add_dependencies(linn_tool ${target})
endforeach()
