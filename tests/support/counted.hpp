// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace linn_test {

/// Counts how many of it are alive; its constructor throws for negative values.
struct counted {
    explicit counted(int v) : value{v} {
        if (v < 0) {
            throw std::runtime_error{"negative"};
        }
        ++alive;
    }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
    int value;
    int more = 0; // so that not every address inside is misaligned
    static inline int alive = 0;
};

} // namespace linn_test
