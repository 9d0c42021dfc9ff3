// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <linn/memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

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

/// Packets that live at once in a burst, and a network card's usual share of work.
inline constexpr std::size_t burst = 256;

/// Creates one, writes its first word and destroys it, again and again.
/// `Way` is a class with `handle create()` and, unless the handle's destructor does it, `void destroy(handle&)`.
template <class Way>
void hot_loop(Way& way, std::size_t operations) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = way.create();
        h->length = i;
        escape(&*h);
        way.destroy(h);
    }
}

/// Creates a burst, then destroys it in the order of creation.
template <class Way>
void burst_loop(Way& way, std::size_t operations) {
    std::array<decltype(way.create()), burst> live{};
    for (std::size_t i = 0; i < operations; i += burst) {
        for (auto& h : live) {
            h = way.create();
            h->length = i;
            escape(&*h);
        }
        for (auto& h : live) {
            way.destroy(h);
        }
    }
}

/// For ways whose handle owns: destroying is letting go.
struct owning_way {
    template <class Handle>
    static void destroy(Handle& h) {
        h = Handle{};
    }
};

struct make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return std::make_shared<packet>(); }
};

struct linn_make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return linn::make_shared<packet>(); }
};

} // namespace linn::tool::worker
