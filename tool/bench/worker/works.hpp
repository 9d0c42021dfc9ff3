// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <linn/allocator.hpp>
#include <linn/buffer_pool.hpp>
#include <linn/memory.hpp>
#include <linn/recycler.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace linn::tool::worker {

/// A network packet's buffer of 1.5 KB as most programs write it, without a constructor: for the `_for_overwrite` functions, and for
/// what the others cost then.
struct plain_packet {
    std::uint64_t length;
    std::byte data[1'528];
};

/// The same with an empty constructor, which keeps `make_shared` from filling it with zeros.
struct packet : plain_packet {
    packet() noexcept {} // not defaulted: that would make value-initialisation write zeros
};

static_assert(sizeof(packet) == 1'536 && sizeof(plain_packet) == 1'536);

/// Packets that live at once in a burst, and a network card's usual share of work.
inline constexpr std::size_t burst = 256;

/// Nothing but bytes, and no constructor.
template <std::size_t Bytes>
struct plain_block {
    char data[Bytes];
};

// Ways to make an object. With a type, a way returns a function that makes one and returns what holds it.
inline constexpr auto std_make_shared = []<class T> { return [] { return std::make_shared<T>(); }; };
inline constexpr auto linn_make_shared = []<class T> { return [] { return linn::make_shared<T>(); }; };
inline constexpr auto linn_for_overwrite = []<class T> {
    return [] { return linn::make_shared_for_overwrite<T>(); };
};
inline constexpr auto linn_allocate_shared = []<class T> {
    return [] { return std::allocate_shared<T>(linn::allocator<T>{}); };
};

/// The process's one recycler of the type, as a program would have it: objects stay constructed.
template <class T>
linn::recycler<T>& recycled() {
    static auto& all = *new linn::recycler<T>{{.capacity = 4'096}};
    return all;
}
inline constexpr auto linn_recycler = []<class T> {
    return [from = &recycled<T>()] { return from->acquire(); };
};
inline constexpr auto linn_recycler_shared = []<class T> {
    return [from = &recycled<T>()] { return from->acquire_shared(); };
};

// Raw buffers of the type's size.
inline constexpr auto new_array = []<class T> {
    return [] { return std::unique_ptr<char[]>(new char[sizeof(T)]); };
};
/// The process's one pool of buffers of that size.
template <class T>
linn::buffer_pool& buffers_of() {
    static auto& all = *new linn::buffer_pool{sizeof(T::data)};
    return all;
}
inline constexpr auto linn_buffer = []<class T> {
    return [from = &buffers_of<T>()] { return from->acquire(); };
};
inline constexpr auto linn_buffer_shared = []<class T> {
    return [from = &buffers_of<T>()] { return from->acquire_shared(); };
};

// What a pass does with objects of a type, made by a way.

/// Makes a packet, writes its first word and lets it go, again and again.
template <auto Way, class T = packet>
auto hot() {
    return [make = Way.template operator()<T>()](std::size_t operations) {
        for (std::size_t i = 0; i != operations; ++i) {
            auto h = make();
            h->length = i;
            escape(&*h);
        }
    };
}

/// Makes a burst of packets, then lets them go in the same order.
template <auto Way, class T = packet>
auto bursts() {
    return [make = Way.template operator()<T>()](std::size_t operations) {
        std::array<decltype(make()), burst> live{};
        for (std::size_t i = 0; i < operations; i += burst) {
            for (auto& h : live) {
                h = make();
                h->length = i;
                escape(&*h);
            }
            for (auto& h : live) {
                h = {};
            }
        }
    };
}

/// Makes an object and lets it go, again and again; so many bytes of it are written in between. The escape stands between a hidden
/// fill and the wanted one, since compilers make one of two that follow each other.
template <auto Way, class T, std::size_t Filled = 0>
auto creates() {
    return [make = Way.template operator()<T>()](std::size_t operations) {
        for (std::size_t i = 0; i != operations; ++i) {
            const auto h = make();
            void* p = nullptr;
            if constexpr (requires { h.get(); }) {
                p = h.get();
            } else {
                p = h.data();
            }
            escape(p);
            if constexpr (Filled != 0) {
                std::memset(p, static_cast<int>(i % 255) + 1, Filled);
                escape(p);
            }
        }
    };
}

} // namespace linn::tool::worker
