# SPDX-License-Identifier: Apache-2.0
# Wine as the emulator of the toolchain files for Windows.
find_program(LINN_WINE NAMES wine64 wine wine64-stable PATHS /usr/lib/wine NO_CMAKE_FIND_ROOT_PATH)
if(LINN_WINE)
  # Without the services and the desktop of Wine, which no test needs, which cost a second a start, and which crash now
  # and then; and without its messages.
  set(CMAKE_CROSSCOMPILING_EMULATOR env WINEDEBUG=-all "WINEDLLOVERRIDES=explorer.exe,services.exe,winemenubuilder.exe=d"
                                    ${LINN_WINE})
  set(LINN_TEST_SLOWDOWN 5 CACHE STRING "")
else()
  set(LINN_TEST_UNABLE "Wine is not installed")
endif()
