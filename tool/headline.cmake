# SPDX-License-Identifier: Apache-2.0
# The programs that `linn bench` starts for the headline, what all programs that it measures have in common, and what installs
# allocators.

# linn_measured(<target>): optimised and free of sanitizers in every leg. Whatever interposes malloc would also make the proof
# of the preloaded allocator fail.
function(linn_measured target)
  target_compile_options(${target} PRIVATE -O2 -fno-sanitize=all)
  target_link_options(${target} PRIVATE -fno-sanitize=all)
endfunction()

# The worker of the headline, apart from that of the other scenarios: `make bench` compiles no other.
add_executable(linn_bench_headline bench/worker/main.cpp bench/worker/measure.cpp)
linn_add_folders(linn_bench_headline APART bench/worker/headline)
set_target_properties(linn_bench_headline PROPERTIES OUTPUT_NAME linn-bench-headline POSITION_INDEPENDENT_CODE ON)
linn_measured(linn_bench_headline)
target_link_libraries(linn_bench_headline PRIVATE linn::linn nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})

# The program that tries an allocator before anybody measures it; like the worker, only itself and what is preloaded.
add_executable(linn_allocator_probe)
linn_add_folders(linn_allocator_probe APART allocators/probe)
set_target_properties(linn_allocator_probe PROPERTIES OUTPUT_NAME linn-allocator-probe POSITION_INDEPENDENT_CODE ON)
target_compile_features(linn_allocator_probe PRIVATE cxx_std_20)
linn_measured(linn_allocator_probe)
target_link_libraries(linn_allocator_probe PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

# What `linn allocators --install` needs lies next to the tool.
file(GLOB_RECURSE install_files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/allocators/install CONFIGURE_DEPENDS
     allocators/install/*)
foreach(file IN LISTS install_files)
  configure_file(allocators/install/${file} ${CMAKE_CURRENT_BINARY_DIR}/allocator-install/${file} COPYONLY)
endforeach()
