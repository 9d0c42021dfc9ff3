# SPDX-License-Identifier: Apache-2.0
# Writes the style sheet and the scripts, as one, into a C++ source: cmake -DSTYLE=… -DSCRIPTS=a.js,b.js -DOUT=… -P embed.cmake
file(READ "${STYLE}" style)
# To an XML parser it is text, whatever letters it has.
set(script "//<![CDATA[\n")
string(REPLACE "," ";" scripts "${SCRIPTS}")
foreach(name IN LISTS scripts)
  file(READ "${name}" content)
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
# 64 digits of 4 bits: 21 times 12 bits are two letters each, and 4 bits remain.
foreach(i RANGE 0 60 3)
  string(SUBSTRING "${hex}" ${i} 3 digits)
  math(EXPR high "0x${digits} >> 6")
  math(EXPR low "0x${digits} & 63")
  string(SUBSTRING "${letters}" ${high} 1 first)
  string(SUBSTRING "${letters}" ${low} 1 second)
  string(APPEND hash "${first}${second}")
endforeach()
string(SUBSTRING "${hex}" 63 1 digit)
math(EXPR last "0x${digit} << 2")
string(SUBSTRING "${letters}" ${last} 1 letter)
string(APPEND hash "${letter}=")

file(
  WRITE "${OUT}.new"
  "// SPDX-License-Identifier: Apache-2.0
// Made by embed.cmake from the files of tool/report/render/assets.
#include \"report/render/render.hpp\"

namespace linn::tool::html {

const std::string_view style_sheet{R\"~(${style})~\"};
const std::string_view script{R\"~(${script})~\"};
const std::string_view script_hash{\"${hash}\"};

} // namespace linn::tool::html
")
file(RENAME "${OUT}.new" "${OUT}")
