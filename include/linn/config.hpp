// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_CONFIG_HPP
#define LINN_CONFIG_HPP

/// @file
/// The macros that a user may set, all of them:
///
/// - `LINN_CHECKED`, 1: every deallocation is checked at once (double free, foreign, interior and
///   misaligned pointers, wrong pool), objects are guarded (write after free, overrun), and all is
///   reported to the misuse handler with its callers.
/// - `LINN_USER_CONFIG`: a header (with its quotes or brackets) included first; it may set the rest.
/// - `LINN_ASAN_POOLS`, 1: under AddressSanitizer keep pooling; the default 0 sends every object of
///   `pool` to `operator new`, so that ASan sees each one.
/// - `LINN_FIBERS`, 1: a fiber (a coroutine with a stack of its own) may be resumed by another thread than the one it
///   was suspended on. Each call looks the thread's cache up again, which costs a call.
/// - `LINN_COMPILED`: the program links `linn::compiled`; headers declare what that has instantiated. Neither layout nor behaviour
///   depends on it.
/// - `LINN_INITIAL_EXEC`: for a shared library that is loaded with the program: no call to find the thread's cache.
///
/// Everything else is an option in a type (`pool_options`), never a macro. Each macro that changes
/// layout or behaviour is part of the inline namespace. So parts built differently fail to link where Linn's types are
/// among the parameters of a function. The linker sees neither what a function returns nor the type of a variable.

#include <linn/detail/core/compiler.hpp>

// The first line that a compiler in another mode prints, and the only one: without LINN_ABI every header is empty.
#if LINN_DETAIL_CPLUSPLUS < 202002L
#error "linn needs C++20: compile with -std=c++20"
#elif !LINN_DETAIL_THREADS
#error "linn needs threads and destructors of thread_local objects, which WASI lacks"
#else

#ifdef LINN_USER_CONFIG
#include LINN_USER_CONFIG
#endif

#include <linn/version.hpp>

#ifndef LINN_CHECKED
#define LINN_CHECKED 0
#endif

#ifndef LINN_ASAN_POOLS
#define LINN_ASAN_POOLS 0
#endif

#ifndef LINN_FIBERS
#define LINN_FIBERS 0
#endif

#define LINN_DETAIL_JOIN_(a, b, c, d, e, f) a##b##c##d##e##f
#define LINN_DETAIL_JOIN(a, b, c, d, e, f) LINN_DETAIL_JOIN_(a, b, c, d, e, f)

// As long as the major number is 0, each minor number has layouts of its own.
#if LINN_VERSION_MAJOR == 0
#define LINN_DETAIL_TAG_MINOR LINN_DETAIL_JOIN(_, LINN_VERSION_MINOR, , , , )
#else
#define LINN_DETAIL_TAG_MINOR
#endif

#if LINN_CHECKED
#define LINN_DETAIL_TAG_CHECKED _checked
#else
#define LINN_DETAIL_TAG_CHECKED
#endif
#if LINN_DETAIL_ASAN && LINN_ASAN_POOLS
#define LINN_DETAIL_TAG_SANITIZER _asan_pools
#elif LINN_DETAIL_ASAN
#define LINN_DETAIL_TAG_SANITIZER _asan
#elif LINN_DETAIL_TSAN
#define LINN_DETAIL_TAG_SANITIZER _tsan
#elif LINN_DETAIL_MSAN
#define LINN_DETAIL_TAG_SANITIZER _msan
#else
#define LINN_DETAIL_TAG_SANITIZER
#endif

#if LINN_FIBERS
#define LINN_DETAIL_TAG_FIBERS _fibers
#else
#define LINN_DETAIL_TAG_FIBERS
#endif

// A function that finds a variable of the calling thread. Compilers keep the address of such a variable across calls, since
// no call of the language changes the thread; resuming a fiber does. A call with an effect is never left out.
#if LINN_FIBERS
#define LINN_DETAIL_OF_THREAD LINN_DETAIL_HIDDEN [[LINN_DETAIL_NOINLINE]]
#define LINN_DETAIL_FIND_THREAD() LINN_DETAIL_TOUCH_MEMORY()
#else
#define LINN_DETAIL_OF_THREAD [[LINN_DETAIL_ALWAYS_INLINE]]
#define LINN_DETAIL_FIND_THREAD() static_cast<void>(0)
#endif

/// The inline namespace: the version, 0.x or x, and all that changes layout or behaviour.
#define LINN_ABI                                                                                             \
    LINN_DETAIL_JOIN(v, LINN_VERSION_MAJOR, LINN_DETAIL_TAG_MINOR, LINN_DETAIL_TAG_CHECKED,                  \
                     LINN_DETAIL_TAG_SANITIZER, LINN_DETAIL_TAG_FIBERS)

namespace linn::inline LINN_ABI::detail {

/// True in builds with `LINN_CHECKED`.
inline constexpr bool checked_build = LINN_CHECKED != 0;

/// True where each object of a pool goes to `operator new` so that AddressSanitizer or MemorySanitizer tracks it.
inline constexpr bool sanitizer_bypass =
    (LINN_DETAIL_ASAN != 0 && LINN_ASAN_POOLS == 0) || LINN_DETAIL_MSAN != 0;

/// True where slots that are not handed out must be poisoned by hand.
inline constexpr bool sanitizer_poison = LINN_DETAIL_ASAN != 0;

} // namespace linn::inline LINN_ABI::detail

#endif // C++20
#endif
