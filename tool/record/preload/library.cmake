# SPDX-License-Identifier: Apache-2.0
# liblinn-record.so and liblinn-sample.so: preloaded into the recorded program, in C as in C++; so without a C++ runtime, and never
# sanitized. `-z defs` finds at once what would need one. They differ in their hooks.
set(hooks record/preload/hooks.cpp record/preload/recorder.cpp)
file(GLOB parts CONFIGURE_DEPENDS record/preload/*.cpp)
foreach(hook IN LISTS hooks)
  list(REMOVE_ITEM parts ${CMAKE_CURRENT_SOURCE_DIR}/${hook})
endforeach()
add_library(linn_record_parts OBJECT ${parts})
linn_add_folders(linn_record_parts APART record/preload/unwind interpose)
add_library(linn_record MODULE ${hooks})
add_library(linn_sample MODULE ${hooks})
target_compile_definitions(linn_sample PRIVATE LINN_RECORD_SAMPLES=1)
foreach(target IN ITEMS linn_record_parts linn_record linn_sample)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # It defines malloc itself: the compiler must not make calls of it out of anything here.
  target_compile_options(
    ${target} PRIVATE -O2 -fno-exceptions -fno-rtti -fno-sanitize=all -fasynchronous-unwind-tables -ftls-model=initial-exec
                      -fno-builtin-malloc)
endforeach()
if(TARGET linn_warnings)
  target_link_libraries(linn_record_parts PRIVATE linn_warnings)
endif()
foreach(name IN ITEMS record sample)
  set_target_properties(linn_${name} PROPERTIES OUTPUT_NAME linn-${name} PREFIX lib)
  target_sources(linn_${name} PRIVATE $<TARGET_OBJECTS:linn_record_parts>)
  target_link_options(linn_${name} PRIVATE -fno-sanitize=all LINKER:--as-needed LINKER:-z,defs)
  linn_loads(linn_${name})
endforeach()
