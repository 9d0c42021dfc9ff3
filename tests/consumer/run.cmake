# SPDX-License-Identifier: Apache-2.0
# Builds and runs one consumer: cmake -DMODE=installed -DSOURCE=... [-DBUILD=...] -DWORK=...
#                                     -DCOMPILER=... -DGENERATOR=... [-DCMAKE=...] -P run.cmake
# CMAKE: the CMake of the consumer, which may be as old as 3.16. Without BUILD the library is configured and installed by it.
# Everything happens below WORK, which is emptied first: what an earlier run left proves nothing.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(arguments)
if(NOT CMAKE)
  set(CMAKE ${CMAKE_COMMAND})
endif()

# compiled.<way>: the project `compiled` that gets linn::compiled in this way.
set(folder ${MODE})
set(compiled OFF)
if(MODE MATCHES "^compiled[.](.*)$")
  set(MODE ${CMAKE_MATCH_1})
  set(folder compiled)
  set(compiled ON)
  list(APPEND arguments -DWAY=${MODE})
endif()

if(MODE STREQUAL "installed" OR MODE STREQUAL "pkgconfig")
  if(compiled OR NOT BUILD)
    set(BUILD ${WORK}/library)
    execute_process(COMMAND ${CMAKE} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DLINN_LIBRARY_ONLY=ON
                            -DCMAKE_INSTALL_LIBDIR=lib -DLINN_INSTALL_COMPILED=${compiled}
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE} --build ${BUILD} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  # Installed in one place, used in another: a package must not remember where it was installed.
  execute_process(COMMAND ${CMAKE} --install ${BUILD} --prefix ${WORK}/first
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${WORK}/first ${WORK}/moved)
  file(GLOB_RECURSE files ${WORK}/moved/*.cmake ${WORK}/moved/*.pc)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    foreach(place IN ITEMS ${WORK} ${SOURCE} ${BUILD})
      string(FIND "${text}" "${place}" found)
      if(NOT found EQUAL -1)
        message(FATAL_ERROR "${file} names ${place}")
      endif()
    endforeach()
  endforeach()
  foreach(view IN ITEMS linn_gdb.py linn_lldb.py linn.natvis)
    if(NOT EXISTS ${WORK}/moved/share/linn/debug/${view})
      message(FATAL_ERROR "share/linn/debug/${view} is not installed")
    endif()
  endforeach()
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${WORK}/moved)
  # Only what was installed counts, not what this machine or this user happens to have.
  set(ENV{PKG_CONFIG_PATH} "${WORK}/moved/share/pkgconfig:${WORK}/moved/lib/pkgconfig")
  list(APPEND arguments -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
elseif(MODE STREQUAL "fetchcontent")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E tar czf ${WORK}/linn.tar.gz -- CMakeLists.txt cmake include packaging src
    WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 ${WORK}/linn.tar.gz sum)
  list(APPEND arguments -DLINN_ARCHIVE=${WORK}/linn.tar.gz -DLINN_SHA256=${sum})
elseif(MODE STREQUAL "subdirectory")
  list(APPEND arguments -DLINN_SOURCE=${SOURCE})
elseif(MODE STREQUAL "copied")
  file(COPY ${SOURCE}/include/linn DESTINATION ${WORK}/copy)
  list(APPEND arguments -DLINN_COPY=${WORK}/copy)
else()
  message(FATAL_ERROR "no such consumer: ${MODE}")
endif()

# Headers of an imported target count as system headers, whose warnings are not shown. A user who
# copies them, or turns that off, sees them all.
set(strict -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror)
execute_process(
  COMMAND
    ${CMAKE} -S ${CMAKE_CURRENT_LIST_DIR}/${folder} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON "-DSTRICT_FLAGS=${strict}"
    ${arguments}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE} --build ${WORK}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/build/consumer OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "^OK [0-9]+\\.[0-9]+\\.[0-9]+\n$")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
if(compiled AND MODE STREQUAL "pkgconfig")
  execute_process(COMMAND ${CMAKE} --build ${WORK}/build --target checked OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status EQUAL 0 OR NOT output MATCHES "allocate_")
    message(FATAL_ERROR "a checked program links with the plain archive, or fails for another reason: ${output}")
  endif()
endif()
