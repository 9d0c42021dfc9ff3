// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
auto make() {
    return std::make_unique<std::array<char, 4096>>(); // finds 4096, note
}
