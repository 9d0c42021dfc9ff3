// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <memory>
auto bits(std::size_t n) {
    return std::make_unique<std::atomic<unsigned>[]>(n);
}
