# SPDX-License-Identifier: Apache-2.0
# The document of a report, its plots, its renderers and what each verb puts into it. The style sheet and the scripts of pages
# become part of the program.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
set(scripts ${folder}/render/assets/page.js ${folder}/render/assets/timeline.js ${folder}/render/assets/flame.js)
list(JOIN scripts "," script_list)
add_custom_command(
  OUTPUT ${assets}
  COMMAND ${CMAKE_COMMAND} -DSTYLE=${folder}/render/assets/page.css -DSCRIPTS=${script_list} -DOUT=${assets} -P
          ${folder}/render/embed.cmake
  DEPENDS ${folder}/render/assets/page.css ${scripts} ${folder}/render/embed.cmake
  VERBATIM)
file(GLOB report_sources CONFIGURE_DEPENDS ${folder}/document/*.cpp ${folder}/plots/*.cpp ${folder}/render/*.cpp
     ${folder}/verbs/*.cpp ${folder}/html/*.cpp)
target_sources(linn_tool_core PRIVATE ${assets} ${report_sources})
