# SPDX-License-Identifier: Apache-2.0
# liblinn-try.so: preloaded into programs in C as in C++; so without a C++ runtime, and never sanitized. `-z defs` finds
# at once what would need one. `-z now` binds before anything is served: not with a lock held, nor in a signal handler.
# liblinn-try-checked.so is the same with every block guarded.
foreach(kind IN ITEMS try try-checked)
  string(REPLACE - _ target linn_${kind})
  add_library(${target} MODULE pools/compiled_plan.cpp)
  linn_add_folders(${target} APART pools/preload interpose)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME linn-${kind} PREFIX lib CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  # It defines malloc itself: the compiler must not make calls of it out of anything here.
  target_compile_options(${target} PRIVATE -O2 -fno-exceptions -fno-rtti -fno-sanitize=all
                                           -fasynchronous-unwind-tables -ftls-model=initial-exec -falign-functions=32
                                           -fno-builtin-malloc -fno-threadsafe-statics)
  target_link_options(${target} PRIVATE -nodefaultlibs -fno-sanitize=all LINKER:--as-needed LINKER:-z,defs LINKER:-z,now)
  target_link_libraries(${target} PRIVATE c gcc gcc_eh c) # the unwinder is for checked builds
  linn_loads(${target})
endforeach()
target_compile_definitions(linn_try_checked PRIVATE LINN_CHECKED=1)
