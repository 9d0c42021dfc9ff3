# SPDX-License-Identifier: Apache-2.0
# What `linn allocators --install` needs lies next to the tool.
file(GLOB_RECURSE install_files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/allocators/install CONFIGURE_DEPENDS
     allocators/install/*)
foreach(file IN LISTS install_files)
  configure_file(allocators/install/${file} ${CMAKE_CURRENT_BINARY_DIR}/allocator-install/${file} COPYONLY)
endforeach()
