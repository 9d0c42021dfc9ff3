// SPDX-License-Identifier: Apache-2.0
// WebAssembly without threads is refused by one sentence; the macro is what its compilers define.
// LINES: 99
#if defined(LINN_CASE_wasi) // linn needs threads and destructors of thread_local objects, which WASI lacks
#define __wasi__ 1
#endif
#include <linn/linn.hpp>
