// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_POLICY_HPP
#define LINN_DETAIL_SYNC_POLICY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/platform.hpp>

namespace linn::inline LINN_ABI::detail {

/// Holds a lock for a scope and tells whether it had to wait for it.
template <class Mutex>
class lock_guard {
public:
    [[LINN_DETAIL_SLOW]] explicit lock_guard(Mutex& m) noexcept : mutex_{m} {
        if (m.try_lock()) {
            return;
        }
        if (m.held_for_fork()) { // a fork handler of the program
            owns_ = false;
            return;
        }
        waited_ = true;
        m.lock();
    }
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;
    ~lock_guard() { release(); }
    /// Before the end of the scope.
    [[LINN_DETAIL_ALWAYS_INLINE]] void release() noexcept {
        if (owns_) {
            owns_ = false;
            mutex_.unlock();
        }
    }
    [[nodiscard]] bool waited() const noexcept { return waited_; }

private:
    Mutex& mutex_;
    bool owns_ = true;
    bool waited_ = false;
};

} // namespace linn::inline LINN_ABI::detail

#endif
