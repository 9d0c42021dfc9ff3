// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_THREADS_HPP
#define LINN_DETAIL_OS_THREADS_HPP

#include <linn/config.hpp>

// What code that uses a pool needs of the system: threads, and the end of a module. docs/design/porting.md says what each function
// promises.
#if defined(__unix__) || defined(__APPLE__)
#include <linn/detail/os/posix/threads.hpp>
#elif defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#else
#error "linn does not know this system: see docs/design/porting.md"
#endif

namespace linn::inline LINN_ABI::detail {

/// False where `thread_local` variables are emulated by a library that frees a thread's when it ends,
/// before the destructors of `thread_local` objects run: what they hold cannot be flushed then, and
/// pointers to them dangle. So there nothing caches for threads: each call takes a lock.
inline constexpr bool thread_locals_last = LINN_DETAIL_EMULATED_TLS == 0;

} // namespace linn::inline LINN_ABI::detail

#endif
