// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rule.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::unwind {

/// Return address -> rule, for all threads: 64 k entries in sets of two. An entry is one word with all of the key, so
/// there is nothing to lock and nothing to tear; who comes last wins. All zero is empty.
class rule_table {
public:
    /// Addresses above are not kept: no program of today is mapped there.
    static constexpr unsigned address_bits = 48;
    static constexpr std::size_t sets = std::size_t{1} << 15;
    static constexpr std::size_t ways = 2;

    /// The rule, or one of kind none.
    rule find(std::uintptr_t address) const noexcept {
        const std::uint64_t key = scramble(address);
        const auto& set = entries_[set_of(key)];
        for (const auto& entry : set) {
            const std::uint64_t word = entry.load(std::memory_order_relaxed);
            if (word >> rule::bit_count == (key & tag_mask)) {
                return rule::from_bits(static_cast<std::uint32_t>(word & rule_mask));
            }
        }
        return {};
    }

    void insert(std::uintptr_t address, rule value) noexcept {
        if (address >> address_bits != 0) {
            return;
        }
        const std::uint64_t key = scramble(address);
        auto& set = entries_[set_of(key)];
        // The newest lies first, and what was there moves back.
        set[1].store(set[0].load(std::memory_order_relaxed), std::memory_order_relaxed);
        set[0].store((key & tag_mask) << rule::bit_count | value.bits(), std::memory_order_relaxed);
    }

    void clear() noexcept {
        for (auto& set : entries_) {
            for (auto& entry : set) {
                if (entry.load(std::memory_order_relaxed) != 0) {
                    entry.store(0, std::memory_order_relaxed);
                }
            }
        }
    }

private:
    static constexpr unsigned tag_bits = 33;
    static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
    static constexpr std::uint64_t rule_mask = (std::uint64_t{1} << rule::bit_count) - 1;
    static_assert(tag_bits + rule::bit_count == 64);
    static_assert(sets == std::size_t{1} << (address_bits - tag_bits));

    /// A permutation of the 48-bit numbers: set and tag together are the address.
    static constexpr std::uint64_t scramble(std::uintptr_t address) {
        constexpr std::uint64_t odd = 0x9e37'79b9'7f4b;
        return (address * odd) & ((std::uint64_t{1} << address_bits) - 1);
    }
    static constexpr std::size_t set_of(std::uint64_t key) {
        return static_cast<std::size_t>(key >> tag_bits);
    }

    std::atomic<std::uint64_t> entries_[sets][ways];
};

/// The same for one thread and few addresses, which stay near the processor: an entry is one word with all of the key
/// here too, so that a signal handler never finds half of one.
class near_rules {
public:
    /// The rule, or one of kind none.
    rule find(std::uintptr_t address) const noexcept {
        const std::uint64_t key = scramble(address);
        const std::uint64_t word = entries_[key >> tag_bits].load(std::memory_order_relaxed);
        return word >> rule::short_bits == (key & tag_mask)
                   ? rule::from_short(static_cast<std::uint32_t>(word & rule_mask))
                   : rule{};
    }
    void insert(std::uintptr_t address, rule value) noexcept {
        if (address >> rule_table::address_bits != 0 || !value.is_short()) {
            return;
        }
        const std::uint64_t key = scramble(address);
        entries_[key >> tag_bits].store((key & tag_mask) << rule::short_bits | value.to_short(),
                                        std::memory_order_relaxed);
    }
    void clear() noexcept {
        for (auto& entry : entries_) {
            if (entry.load(std::memory_order_relaxed) != 0) { // what was never used is not touched
                entry.store(0, std::memory_order_relaxed);
            }
        }
    }

private:
    static constexpr unsigned tag_bits = 64 - rule::short_bits;
    static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
    static constexpr std::uint64_t rule_mask = (std::uint64_t{1} << rule::short_bits) - 1;

    /// A permutation of the 48-bit numbers.
    static constexpr std::uint64_t scramble(std::uintptr_t address) {
        constexpr std::uint64_t odd = 0x9e37'79b9'7f4b;
        return (address * odd) & ((std::uint64_t{1} << rule_table::address_bits) - 1);
    }

    std::atomic<std::uint64_t> entries_[std::size_t{1} << (rule_table::address_bits - tag_bits)];
};

} // namespace linn::tool::unwind
