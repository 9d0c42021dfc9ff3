# SPDX-License-Identifier: Apache-2.0
# The recorder: the library that is loaded into the program, and the collector in the tool.
set(folder ${CMAKE_CURRENT_LIST_DIR})
