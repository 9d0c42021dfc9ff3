# SPDX-License-Identifier: Apache-2.0
# From addresses to functions, lines and C++ types.
set(folder ${CMAKE_CURRENT_LIST_DIR})
