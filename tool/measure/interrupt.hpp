// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstddef>
#include <optional>
#include <string>

namespace linn::tool {

/// While it lives, SIGINT, SIGTERM and SIGHUP are blocked except inside `ppoll` with `wait_mask()`, where they only
/// set `pending()`: no signal can fall between a check and a wait.
class interrupt_guard {
public:
    interrupt_guard();
    interrupt_guard(const interrupt_guard&) = delete;
    interrupt_guard& operator=(const interrupt_guard&) = delete;
    ~interrupt_guard();

    /// The signal that asked to stop, or 0.
    static int pending() noexcept;

    /// The same, with what has arrived since the last wait: for work that waits for nothing.
    int poll() const noexcept;

    /// `wait_mask()` of the guard that lives; null: none does.
    static const sigset_t* outer_mask() noexcept;

    /// The mask to wait with, which is also the one to give to children.
    const sigset_t& wait_mask() const noexcept { return old_mask_; }

private:
    sigset_t old_mask_{};
    struct sigaction old_actions_[3]{};
};

/// Where long work stands, for a progress line.
struct work_progress {
    std::size_t done = 0;
    std::size_t total = 0; ///< 0: not known yet
    unsigned repeated = 0; ///< steps done again because the machine was disturbed
    std::string doing;
    std::optional<double> seconds_left = {}; ///< where it is known better than from `done` of `total`
};

} // namespace linn::tool
