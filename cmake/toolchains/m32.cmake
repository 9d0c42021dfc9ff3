# SPDX-License-Identifier: Apache-2.0
# 32-bit programs on a 64-bit x86 system: g++ -m32. They run as they are.
set(CMAKE_CXX_FLAGS_INIT "-m32")

# The package of the kernel's headers for all targets conflicts with cross compilers, so it may be missing;
# those of the 64-bit system hold both.
if(NOT EXISTS /usr/include/asm AND EXISTS /usr/include/x86_64-linux-gnu/asm)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -idirafter /usr/include/x86_64-linux-gnu")
endif()
