// SPDX-License-Identifier: Apache-2.0
#include <memory>
auto make(std::size_t n) {
    return std::make_unique<double[][8]>(n); // finds 64 each, note
}
