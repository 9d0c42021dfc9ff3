// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
auto* bits(std::size_t n) {
    return new std::atomic<unsigned>[n]();
}
