# SPDX-License-Identifier: Apache-2.0
# liblinn-record.so: preloaded into the recorded program, in C as in C++; so without a C++ runtime, and never
# sanitized. `-z defs` finds at once what would need one.
include(${CMAKE_CURRENT_LIST_DIR}/../../interpose/sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/unwind/sources.cmake)
add_library(
  linn_record MODULE
  ${CMAKE_CURRENT_LIST_DIR}/event_cost.cpp
  ${CMAKE_CURRENT_LIST_DIR}/image.cpp
  ${CMAKE_CURRENT_LIST_DIR}/malloc_hooks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/modules.cpp
  ${CMAKE_CURRENT_LIST_DIR}/new_hooks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/other_hooks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/recorder.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rtti_probe.cpp
  ${CMAKE_CURRENT_LIST_DIR}/thread.cpp
  ${CMAKE_CURRENT_LIST_DIR}/writer_pool.cpp
  ${linn_interpose_sources}
  ${linn_unwind_sources})
set_target_properties(linn_record PROPERTIES OUTPUT_NAME linn-record PREFIX lib CXX_VISIBILITY_PRESET hidden)
target_compile_features(linn_record PRIVATE cxx_std_20)
# It defines malloc and memset itself: the compiler must not make calls of them out of anything here.
target_compile_options(
  linn_record PRIVATE -O2 -fno-exceptions -fno-rtti -fno-sanitize=all -fasynchronous-unwind-tables -ftls-model=initial-exec
                      -fno-builtin-malloc $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)
target_link_options(linn_record PRIVATE -fno-sanitize=all LINKER:--as-needed LINKER:-z,defs)
if(TARGET linn_warnings)
  target_link_libraries(linn_record PRIVATE linn_warnings)
endif()
add_dependencies(linn_tool linn_record)
if(LINN_INSTALL)
  install(TARGETS linn_record LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR}/../libexec/linn COMPONENT tool)
endif()
