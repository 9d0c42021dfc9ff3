# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=... -DEXPECTED=... -P: the program must succeed and print what EXPECTED holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output COMMAND_ECHO NONE
                COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
if(EXISTS ${EXPECTED})
  file(READ ${EXPECTED} expected)
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "printed the above; ${EXPECTED} expects:\n${expected}")
  endif()
endif()
