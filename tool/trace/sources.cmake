# SPDX-License-Identifier: Apache-2.0
# The trace format: what the recorder writes and everything else reads.
set(folder ${CMAKE_CURRENT_LIST_DIR})
