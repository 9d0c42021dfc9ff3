// SPDX-License-Identifier: Apache-2.0
// Null and false mean that there is nothing: arrays of them are tables.
#include <cstddef>
#include <memory>
struct entry;
auto buckets(std::size_t n) {
    return std::make_unique<entry*[]>(n);
}
auto seen(std::size_t n) {
    return std::make_unique<bool[]>(n);
}
