# SPDX-License-Identifier: Apache-2.0
# The pages of the tool; the style sheet and the script become part of the program.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
add_custom_command(
  OUTPUT ${assets}
  COMMAND ${CMAKE_COMMAND} -DSTYLE=${folder}/assets/page.css -DSCRIPT=${folder}/assets/page.js -DOUT=${assets} -P
          ${folder}/embed.cmake
  DEPENDS ${folder}/assets/page.css ${folder}/assets/page.js ${folder}/embed.cmake
  VERBATIM)
target_sources(
  linn_tool_core
  PRIVATE ${assets}
          ${folder}/axis.cpp
          ${folder}/bar_plot.cpp
          ${folder}/bench_html.cpp
          ${folder}/bench_plots.cpp
          ${folder}/bench_rows.cpp
          ${folder}/bench_section.cpp
          ${folder}/curve_plot.cpp
          ${folder}/figure.cpp
          ${folder}/html_table.cpp
          ${folder}/markup.cpp
          ${folder}/numbers.cpp
          ${folder}/page.cpp
          ${folder}/provenance.cpp
          ${folder}/run_html.cpp
          ${folder}/run_plots.cpp
          ${folder}/strip_plot.cpp)
