# SPDX-License-Identifier: Apache-2.0
# What each allocator would have cost.
set(folder ${CMAKE_CURRENT_LIST_DIR})
