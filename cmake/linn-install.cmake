# SPDX-License-Identifier: Apache-2.0
# Install rules. Everything is headers and text, so it goes below share/. Every file finds its
# neighbours relative to itself, so the prefix may be moved after installation.
include(CMakePackageConfigHelpers)

set(linn_cmake_dir ${CMAKE_INSTALL_DATADIR}/cmake/linn)
set(linn_pkgconfig_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(DIRECTORY include/linn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cppm")
install(TARGETS linn EXPORT linn-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT linn-targets NAMESPACE linn:: DESTINATION ${linn_cmake_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/linn-config.cmake.in ${PROJECT_BINARY_DIR}/linn-config.cmake
  INSTALL_DESTINATION ${linn_cmake_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR
  NO_SET_AND_CHECK_MACRO)

install(FILES cmake/linn-compiled.cmake cmake/linn-module.cmake DESTINATION ${linn_cmake_dir})
install(FILES src/linn.cpp DESTINATION ${CMAKE_INSTALL_DATADIR}/linn/src)

# As long as the major number is 0, a new minor number may break users.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(linn_compatibility SameMinorVersion)
else()
  set(linn_compatibility SameMajorVersion)
endif()
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/linn-config-version.cmake
  COMPATIBILITY ${linn_compatibility}
  ARCH_INDEPENDENT)

install(FILES ${PROJECT_BINARY_DIR}/linn-config.cmake ${PROJECT_BINARY_DIR}/linn-config-version.cmake
        DESTINATION ${linn_cmake_dir})

# The Common Package Specification. Only on request: find_package of CMake 4.3 and newer prefers this file, which cannot set
# linn_MODULE. Not by install(PACKAGE_INFO): that asks for a package "Threads", which no system has.
if(LINN_INSTALL_CPS)
  set(prefix "@prefix@")
  configure_file(${PROJECT_SOURCE_DIR}/packaging/linn.cps.in ${PROJECT_BINARY_DIR}/linn.cps @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linn.cps DESTINATION ${CMAKE_INSTALL_DATADIR}/cps/linn)
endif()

# pkg-config computes the prefix from the place of the .pc file: it needs the way up from there.
set(linn_destdir /linn-prefix)
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(linn_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(linn_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
file(RELATIVE_PATH linn_pc_up ${linn_destdir}/${linn_pkgconfig_dir} ${linn_destdir})
string(REGEX REPLACE "/$" "" linn_pc_up "${linn_pc_up}")
configure_file(${PROJECT_SOURCE_DIR}/packaging/linn.pc.in ${PROJECT_BINARY_DIR}/linn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/linn.pc DESTINATION ${linn_pkgconfig_dir})

if(LINN_INSTALL_COMPILED)
  set_target_properties(linn_compiled PROPERTIES EXCLUDE_FROM_ALL OFF OUTPUT_NAME linn)
  install(TARGETS linn_compiled ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(linn_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
  else()
    set(linn_pc_libdir "\${pcfiledir}/..")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/packaging/linn-compiled.pc.in ${PROJECT_BINARY_DIR}/linn-compiled.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linn-compiled.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# Views for debuggers, to be loaded by hand: docs/guide/gdb.md.
install(FILES packaging/debug/linn_gdb.py packaging/debug/linn_lldb.py packaging/debug/linn.natvis
        DESTINATION ${CMAKE_INSTALL_DATADIR}/linn/debug)
