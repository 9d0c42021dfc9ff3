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

# The browser hashes what stands between the tags: the file to the byte.
string(SHA256 hex "${script}")
set(letters "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
set(hash "")
# 64 digits of 4 bits, and two of padding: 22 times 12 bits are two letters each, of which the last stands for padding alone.
foreach(i RANGE 0 63 3)
  string(SUBSTRING "${hex}00" ${i} 3 digits)
  math(EXPR high "0x${digits} >> 6")
  math(EXPR low "0x${digits} & 63")
  string(SUBSTRING "${letters}" ${high} 1 first)
  string(SUBSTRING "${letters}" ${low} 1 second)
  string(APPEND hash "${first}${second}")
endforeach()
string(REGEX REPLACE "A$" "=" hash "${hash}")

set(assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
file(CONFIGURE OUTPUT ${assets} @ONLY CONTENT "// SPDX-License-Identifier: Apache-2.0
// Made by assets.cmake from the files of tool/report/render/assets.
#include \"report/render/render.hpp\"

namespace linn::tool::html {

const std::string_view style_sheet{R\"~(@style@)~\"};
const std::string_view script{R\"~(@script@)~\"};
const std::string_view script_hash{\"@hash@\"};

} // namespace linn::tool::html
")
target_sources(${html_user} PRIVATE ${assets})
