# SPDX-License-Identifier: Apache-2.0
# What a trace says, and what to do about it.
set(folder ${CMAKE_CURRENT_LIST_DIR})
