// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace linn::tool::launcher {

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
