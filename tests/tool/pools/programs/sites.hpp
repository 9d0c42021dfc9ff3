// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// A call that a plan can name: a function of its own that calls one allocation function once, and not by a jump.
#define LINN_SITE extern "C" __attribute__((noinline, noclone, visibility("default"), used))

/// Keeps the compiler from leaving a call out, and from making a jump of it.
template <class T>
inline T* kept(T* p) {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}
