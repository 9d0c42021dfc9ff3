# SPDX-License-Identifier: Apache-2.0
# The target `docs`: the reference of the public headers by Doxygen, in <build>/docs/reference.
find_program(LINN_DOXYGEN doxygen)
set(LINN_DOCS_OUTPUT ${PROJECT_BINARY_DIR}/docs/reference)
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)

if(LINN_DOXYGEN)
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E make_directory ${LINN_DOCS_OUTPUT}
    COMMAND ${LINN_DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
    COMMAND ${CMAKE_COMMAND} -E echo "linn: the reference is ${LINN_DOCS_OUTPUT}/index.html"
    VERBATIM)
else()
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E echo "linn: doxygen is not installed (scripts/install-dependencies test)"
    COMMAND ${CMAKE_COMMAND} -E false
    VERBATIM)
endif()
