// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_UNCANCELLED_HPP
#define LINN_DETAIL_OS_UNCANCELLED_HPP

#include <linn/config.hpp>

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__ANDROID__)
#include <pthread.h>
#define LINN_DETAIL_CANCELS 1
#endif

namespace linn::inline LINN_ABI::detail {

/// While it lives, `pthread_cancel` waits. Calls of the system that wait or open files are where a thread that is
/// to be cancelled is unwound: out of functions that promise not to throw, which ends the process, and past locks.
class uncancelled {
public:
#ifdef LINN_DETAIL_CANCELS
    uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~uncancelled() { ::pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = 0;

public:
#else
    uncancelled() noexcept {}
#endif
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;
};

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_CANCELS
#endif
