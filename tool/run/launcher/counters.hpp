// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol.hpp"

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

} // namespace linn::tool::launcher
