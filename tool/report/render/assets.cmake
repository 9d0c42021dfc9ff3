# SPDX-License-Identifier: Apache-2.0
# Writes the style sheet and the scripts of pages, as one, into a C++ source of the target that `html_user` names.
set(folder ${CMAKE_CURRENT_LIST_DIR}/assets)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/page.css ${folder}/page.js ${folder}/flame.js)
file(READ ${folder}/page.css style)
# To an XML parser all its letters are text.
set(script "//<![CDATA[\n")
foreach(name IN ITEMS page flame)
  file(READ ${folder}/${name}.js content)
  string(APPEND script "${content}")
endforeach()
string(APPEND script "//]]>\n")
foreach(text IN ITEMS style script)
  # What would end the element, or the literal, in which it will stand.
  if("${${text}}" MATCHES "</|\\)~\"")
    message(FATAL_ERROR "the ${text} of the HTML report may not hold '</' nor ')~\"'")
  endif()
endforeach()

set(assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
file(CONFIGURE OUTPUT ${assets} @ONLY CONTENT "// SPDX-License-Identifier: Apache-2.0
// Made by assets.cmake from the files of tool/report/render/assets.
#include \"report/render/render.hpp\"

namespace linn::tool::html {

const std::string_view style_sheet{R\"~(@style@)~\"};
const std::string_view script{R\"~(@script@)~\"};

} // namespace linn::tool::html
")
target_sources(${html_user} PRIVATE ${assets})
