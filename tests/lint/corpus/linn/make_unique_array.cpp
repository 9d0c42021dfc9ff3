// SPDX-License-Identifier: Apache-2.0
#include <linn/memory.hpp>
auto make(std::size_t n) {
    return linn::make_unique<char[]>(n); // finds 1 each, note
}
