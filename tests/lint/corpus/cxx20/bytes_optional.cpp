// SPDX-License-Identifier: Apache-2.0
// An empty optional writes one byte, in itself; as a member it is filled first.
// bytes: slot 107
#include <array>
#include <memory>
#include <optional>
struct slot {
    std::optional<std::array<char, 100>> value; // member 100
    int kind;                                   // member 4
};
auto make() {
    return std::make_unique<slot>(); // finds 107, note
}
