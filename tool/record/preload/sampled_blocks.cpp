// SPDX-License-Identifier: Apache-2.0
#include "sampled_blocks.hpp"

#include "../../interpose/raw.hpp"

#include <sys/mman.h>

namespace linn::tool::preload {

constinit sampled_blocks sample{};

sampled_blocks::place* sampled_blocks::table(std::size_t level) noexcept {
    if (place* const known = tables_[level].load(std::memory_order_relaxed); known != nullptr) {
        return known;
    }
    const std::size_t bytes = sizeof(place) << level_bits[level];
    auto* made = static_cast<place*>(zeroed_memory(bytes)); // zeros are free places
    if (made == nullptr) {
        return nullptr;
    }
    place* expected = nullptr;
    if (!tables_[level].compare_exchange_strong(expected, made, std::memory_order_relaxed)) {
        ::munmap(made, bytes);
        return expected;
    }
    return made;
}

sampled_blocks::place* sampled_blocks::find(place* table, std::uint64_t hash, std::size_t level,
                                            std::uintptr_t address) noexcept {
    place* const first = table + first_place(hash, level);
    for (place* p = first; p != first + window; ++p) {
        if (p->load(std::memory_order_relaxed) == address) {
            return p;
        }
    }
    return nullptr;
}

void sampled_blocks::count(counter& c, bool is_one_more) noexcept {
    std::uint16_t seen = c.load(std::memory_order_relaxed);
    while (seen != full &&
           !c.compare_exchange_weak(seen, static_cast<std::uint16_t>(is_one_more ? seen + 1 : seen - 1),
                                    std::memory_order_relaxed)) {
    }
}

void sampled_blocks::look_at_all(const void* begin, std::size_t bytes) noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    for (std::size_t i = granule(first); i <= granule(first + bytes - 1); ++i) {
        near_[i].store(full, std::memory_order_relaxed);
    }
}

bool sampled_blocks::add(std::uintptr_t address) noexcept {
    const std::uint64_t hash = hash_of(address);
    // Released unseen, and allocated again.
    for (std::size_t level = 0; level != levels; ++level) {
        if (place* const t = tables_[level].load(std::memory_order_relaxed);
            t != nullptr && find(t, hash, level, address) != nullptr) {
            return true;
        }
    }
    for (std::size_t level = 0; level != levels; ++level) {
        place* const t = table(level);
        if (t == nullptr) {
            return false;
        }
        while (place* const empty = find(t, hash, level, 0)) {
            std::uintptr_t expected = 0;
            if (empty->compare_exchange_strong(expected, address, std::memory_order_relaxed)) {
                count(near_[granule(address)], true);
                count(filter_[filter_place(hash)], true);
                return true;
            }
        }
    }
    return false;
}

bool sampled_blocks::remove_counted(std::uintptr_t address) noexcept {
    const std::uint64_t hash = hash_of(address);
    for (std::size_t level = 0; level != levels; ++level) {
        place* const t = tables_[level].load(std::memory_order_relaxed);
        if (t == nullptr) {
            continue;
        }
        if (place* const found = find(t, hash, level, address); found != nullptr) {
            std::uintptr_t expected = address; // of two that release it, one has it
            if (found->compare_exchange_strong(expected, 0, std::memory_order_relaxed)) {
                count(near_[granule(address)], false);
                count(filter_[filter_place(hash)], false);
                return true;
            }
        }
    }
    return false;
}

void sampled_blocks::clear() noexcept {
    const auto forget = [](counter& c) {
        if (const std::uint16_t seen = c.load(std::memory_order_relaxed); seen != 0 && seen != full) {
            c.store(0, std::memory_order_relaxed);
        }
    };
    for (counter& c : near_) {
        forget(c);
    }
    for (counter& c : filter_) {
        forget(c);
    }
    for (std::size_t level = 0; level != levels; ++level) {
        if (place* const t = tables_[level].exchange(nullptr, std::memory_order_relaxed)) {
            ::munmap(t, sizeof(place) << level_bits[level]);
        }
    }
}

} // namespace linn::tool::preload
