// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace linn::tool::worker {

/// A network packet's buffer of 1.5 KB. The empty constructor keeps `make_shared` from filling it with zeros.
struct packet {
    std::uint64_t length;
    std::byte data[1'528];
    packet() noexcept {} // not defaulted: that would make value-initialisation write zeros
};

/// The same without a constructor, which is how most programs write it: for the `_for_overwrite` functions, and for what the
/// others cost then.
struct plain_packet {
    std::uint64_t length;
    std::byte data[1'528];
};

static_assert(sizeof(packet) == 1'536 && sizeof(plain_packet) == 1'536);

} // namespace linn::tool::worker
