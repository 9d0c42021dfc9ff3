# SPDX-License-Identifier: Apache-2.0
# The style sheet and the scripts of pages become part of the target that `html_user` names.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
set(scripts ${folder}/assets/page.js ${folder}/assets/flame.js)
list(JOIN scripts "," script_list)
add_custom_command(
  OUTPUT ${assets}
  COMMAND ${CMAKE_COMMAND} -DSTYLE=${folder}/assets/page.css -DSCRIPTS=${script_list} -DOUT=${assets} -P ${folder}/embed.cmake
  DEPENDS ${folder}/assets/page.css ${scripts} ${folder}/embed.cmake
  VERBATIM)
target_sources(${html_user} PRIVATE ${assets})
