# SPDX-License-Identifier: Apache-2.0
# What a library for recording needs of the unwinder: add ${linn_unwind_sources} to it. Frames of the library itself
# must be in its .eh_frame.
file(GLOB linn_unwind_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
set_source_files_properties(${linn_unwind_sources} PROPERTIES COMPILE_OPTIONS -fasynchronous-unwind-tables)
