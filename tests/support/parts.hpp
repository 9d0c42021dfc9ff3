// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_PARTS_HPP
#define LINN_TESTS_SUPPORT_PARTS_HPP

/// @file
/// The parts of the library that threads share, alike: `get(i)` gives an owner of an item, which gives it back, and `trim()`
/// returns what is unused. What all of them promise is tested once.

#include "busy_threads.hpp"

#include <linn/linn.hpp>

#include <memory>

namespace linn_test::parts {

struct item {
    std::size_t number;
    char bytes[40];
};

struct in_pool {
    using owner = linn::unique_ptr<item>;
    static owner get(std::size_t) { return linn::make_unique_for_overwrite<item>(); }
    static void trim() { linn::pool<item>::trim(); }
};

struct in_shared_ptr {
    using owner = std::shared_ptr<item>;
    static owner get(std::size_t i) {
        return i % 2 == 0 ? linn::make_shared<item>() : std::allocate_shared<item>(linn::allocator<item>{});
    }
    static void trim() { linn::pool<item>::trim(); }
};

struct in_limited_pool {
    static constexpr std::size_t most = 1000;
    using pool = linn::pool<item, linn::pool_options{.max_objects = most}>;
    struct give_back {
        void operator()(item* p) const { pool::deallocate(p); }
    };
    using owner = std::unique_ptr<item, give_back>;
    static owner get(std::size_t) { return owner{pool::allocate()}; }
    static void trim() { pool::trim(); }
};

struct in_resource {
    static inline linn::pool_resource all;
    struct give_back {
        std::size_t bytes = 0;
        void operator()(item* p) const { all.deallocate(p, bytes); }
    };
    using owner = std::unique_ptr<item, give_back>;
    static owner get(std::size_t i) {
        const std::size_t bytes = sizeof(item) + i % 700;
        return {static_cast<item*>(all.allocate(bytes)), give_back{bytes}};
    }
    static void trim() { all.trim(); }
};

struct in_recycler {
    static inline auto* const all = new linn::recycler<item>{200};
    using owner = linn::recycler<item>::handle;
    static owner get(std::size_t) {
        all->acquire_shared().reset();
        return all->acquire();
    }
    static void trim() { all->trim(); }
};

template <std::size_t Retained>
struct in_buffers {
    static constexpr std::size_t bytes = 64 * kib;
    static inline linn::buffer_pool all{bytes, {.retain_bytes = Retained * bytes}};
    using owner = linn::buffer;
    static owner get(std::size_t) { return all.acquire(); }
    static void trim() { all.trim(); }
};

template <class Owner>
item& object(const Owner& owner) {
    return *owner;
}
inline item& object(const linn::buffer& owner) {
    return *reinterpret_cast<item*>(owner.data());
}

/// Replaces items, each of which must be as it was left, until the threads stop. Without operator new: the child of a process that
/// is in AddressSanitizer's, in GCC 12, hangs at its own.
template <class Part>
void keep_busy(busy_threads& threads) {
    std::array<typename Part::owner, 100> held{};
    for (std::size_t i = 0; threads.goes_on(); ++i) {
        auto& place = held[i * 37 % held.size()];
        CHECK(!place || object(place).number == i - held.size());
        place = {};
        place = Part::get(i);
        object(place).number = i;
        if (i % 1024 == 0) {
            Part::trim();
            held = {};
        }
        threads.worked();
    }
}

} // namespace linn_test::parts

#endif
