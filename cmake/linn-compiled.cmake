# SPDX-License-Identifier: Apache-2.0
# linn::compiled: the functions of the headers that do not depend on a type, compiled once. A target of the project that uses it, and
# compiled with that project's flags, so that its sanitizers, its standard library and its macros fit. Built only where something
# links it. Hidden, because each module of a program links its own. A project of C, which finds a library that uses Linn, has no use for it.
get_property(linn_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST linn_languages AND NOT TARGET linn_compiled)
  add_library(linn_compiled STATIC EXCLUDE_FROM_ALL ${linn_COMPILED_SOURCE})
  add_library(linn::compiled ALIAS linn_compiled)
  target_compile_definitions(linn_compiled PUBLIC LINN_COMPILED)
  target_link_libraries(linn_compiled PUBLIC linn::linn)
  set_target_properties(linn_compiled PROPERTIES CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endif()
