# SPDX-License-Identifier: Apache-2.0
# The pages of the tool; the style sheet and the script become part of the program.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
add_custom_command(
  OUTPUT ${assets}
  COMMAND
    ${CMAKE_COMMAND} -DSTYLE=${folder}/assets/page.css
    -DSCRIPTS=${folder}/assets/page.js,${folder}/assets/timeline.js,${folder}/assets/flame.js -DOUT=${assets} -P
    ${folder}/embed.cmake
  DEPENDS ${folder}/assets/page.css ${folder}/assets/page.js ${folder}/assets/timeline.js ${folder}/assets/flame.js
          ${folder}/embed.cmake
  VERBATIM)
target_sources(
  linn_tool_core
  PRIVATE ${assets}
          ${folder}/advise_html.cpp
          ${folder}/advise_types.cpp
          ${folder}/axis.cpp
          ${folder}/bar_plot.cpp
          ${folder}/bench_html.cpp
          ${folder}/bench_plots.cpp
          ${folder}/bench_rows.cpp
          ${folder}/bench_section.cpp
          ${folder}/curve_plot.cpp
          ${folder}/figure.cpp
          ${folder}/flame_plot.cpp
          ${folder}/flame_tree.cpp
          ${folder}/histogram_plot.cpp
          ${folder}/html_table.cpp
          ${folder}/linear_axis.cpp
          ${folder}/markup.cpp
          ${folder}/numbers.cpp
          ${folder}/page.cpp
          ${folder}/provenance.cpp
          ${folder}/replay_html.cpp
          ${folder}/replay_section.cpp
          ${folder}/run_html.cpp
          ${folder}/run_plots.cpp
          ${folder}/run_sections.cpp
          ${folder}/span_plot.cpp
          ${folder}/strip_plot.cpp
          ${folder}/timeline_plot.cpp
          ${folder}/try_html.cpp)
