// SPDX-License-Identifier: Apache-2.0
#include "sampled_blocks.hpp"

#include "../../interpose/raw.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace linn::tool::preload {

constinit sampled_blocks sample{};

/// The first of the places that its hash allows; null without memory.
sampled_blocks::place* sampled_blocks::places_of(std::uintptr_t address) noexcept {
    place* table = table_.load(std::memory_order_relaxed);
    if (table == nullptr) {
        void* const made = zeroed_memory(table_bytes); // zeros are free places
        if (made == nullptr) {
            return nullptr;
        }
        if (table_.compare_exchange_strong(table, static_cast<place*>(made), std::memory_order_relaxed)) {
            table = static_cast<place*>(made);
        } else {
            ::munmap(made, table_bytes);
        }
    }
    const std::uint64_t hash = (address >> 4) * 0x9e37'79b9'7f4a'7c15u;
    return table + (hash >> (64 - table_bits)) / window * window;
}

/// Puts `to` into the place that holds `from`. False where none does.
bool sampled_blocks::change(place* places, std::uintptr_t from, std::uintptr_t to) noexcept {
    return std::any_of(places, places + window, [=](place& p) {
        std::uintptr_t expected = from; // of two threads that want it, one gets it
        return p.load(std::memory_order_relaxed) == from &&
               p.compare_exchange_strong(expected, to, std::memory_order_relaxed);
    });
}

void sampled_blocks::count(std::uintptr_t address, bool is_one_more) noexcept {
    counter& c = near_[granule(address)];
    std::uint16_t seen = c.load(std::memory_order_relaxed);
    while (seen != full &&
           !c.compare_exchange_weak(seen, static_cast<std::uint16_t>(is_one_more ? seen + 1 : seen - 1),
                                    std::memory_order_relaxed)) {
    }
}

bool sampled_blocks::add(std::uintptr_t address) noexcept {
    place* const places = places_of(address);
    if (places == nullptr) {
        return false;
    }
    if (change(places, address, address)) { // released unseen, and allocated again
        return true;
    }
    if (!change(places, 0, address)) {
        return false;
    }
    count(address, true);
    return true;
}

bool sampled_blocks::remove(std::uintptr_t address) noexcept {
    place* const places = places_of(address);
    if (places == nullptr || !change(places, address, 0)) {
        return false;
    }
    count(address, false);
    return true;
}

void sampled_blocks::clear() noexcept {
    for (counter& c : near_) {
        if (c.load(std::memory_order_relaxed) != 0) { // what was never used is not touched
            c.store(0, std::memory_order_relaxed);
        }
    }
    if (place* const table = table_.exchange(nullptr, std::memory_order_relaxed)) {
        ::munmap(table, table_bytes);
    }
}

} // namespace linn::tool::preload
