// SPDX-License-Identifier: Apache-2.0
#include <memory>
std::unique_ptr<char[]> zeros(std::size_t n) {
    return std::make_unique<char[]>(n); // NOLINT(linn-zero-fill): zeros are meant
}
