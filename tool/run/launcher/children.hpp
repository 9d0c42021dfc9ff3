// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol.hpp"

#include <sys/types.h>

#include <cstddef>

namespace linn::tool::launcher {

/// Counters of the processes that this one starts, itself excluded: they begin at the child's exec and are inherited
/// by everything below it. User space only, which is what an unprivileged user may count.
class counters {
public:
    /// Opens what can be opened; `into.counter_error` is the reason for the first that cannot.
    void open(counter_set which, report& into) noexcept;
    /// Adds up; to be called when every child was reaped. Scaled where the processor had too few counters.
    void read(report& into) noexcept;

private:
    int fds_[counter_count] = {-1, -1, -1, -1, -1};
};

/// The living processes below this one, in any session or group, as /proc shows them now; zombies excluded.
class descendants {
public:
    descendants() noexcept;
    descendants(const descendants&) = delete;
    descendants& operator=(const descendants&) = delete;
    ~descendants();

    std::size_t count() const noexcept { return count_; }
    void signal(int number) const noexcept;

private:
    pid_t* pids_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace linn::tool::launcher
