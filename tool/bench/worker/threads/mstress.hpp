// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"
#include "random.hpp"

#include <algorithm>
#include <atomic>

namespace linn::tool::worker {

/// Rounds of threads that allocate blocks of 1 to 128 words, one in a hundred a hundred times as large, and fill them. A
/// quarter is kept until the thread ends; of the others it frees one at random in two steps of three, and swaps one
/// in four steps with a place of an array that all threads share: anybody may free it.
/// @source Leijen: test-stress of mimalloc, as described
struct mstress {
    static constexpr std::size_t usual_operations = 600'000;
    static constexpr std::size_t blocks_of_a_life = 20'000;
    static constexpr std::uint32_t transfers = 1'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        shared_places shared{transfers};
        mapped_array<std::uint64_t*> places{plan.threads * blocks_of_a_life * 2};
        memory_user<Memory> main;
        tally all;
        for (std::size_t left = plan.operations, life = 0; left != 0; ++life) {
            const std::size_t blocks = std::min(left, blocks_of_a_life);
            all += run_crew(plan.threads, [&](unsigned index) {
                return live<Memory>(&places[index * blocks_of_a_life * 2], shared, blocks,
                                    (life << 32) + index);
            });
            for (auto& place : shared) {
                free_words(main, place.exchange(nullptr, std::memory_order_relaxed)); // the threads are gone
            }
            left -= blocks;
        }
        return all += main.counts;
    }

private:
    using shared_places =
        mapped_array<std::atomic<std::uint64_t*>>; // null in the beginning, as mapped pages are
    static constexpr std::uint64_t cookie = 0xbf58476d1ce4e5b9u;

    template <class Memory>
    static tally live(std::uint64_t** places, shared_places& shared, std::size_t blocks, std::uint64_t seed) {
        memory_user<Memory> user;
        random_numbers random{seed + 1};
        std::uint64_t** const kept = places + blocks_of_a_life;
        std::size_t kept_count = 0;
        std::size_t count = 0;
        std::size_t to_keep = blocks / 4;
        for (std::size_t to_use = blocks - to_keep; to_use + to_keep != 0;) {
            // Every step draws as often, regardless of the other threads.
            const std::uint64_t choice = random.next();
            const std::uint32_t words = random.between(1, 128) * (choice % 100 == 0 ? 100 : 1);
            const std::uint32_t which = random.below(1u << 30);
            if (to_keep == 0 || (to_use != 0 && choice >> 63 != 0)) {
                places[count++] = filled(user, words);
                --to_use;
            } else {
                kept[kept_count++] = filled(user, words);
                --to_keep;
            }
            if ((choice >> 32) % 100 < 66 && count != 0) {
                std::uint64_t*& freed = places[which % count];
                free_words(user, freed);
                freed = places[--count];
            }
            if ((choice >> 16) % 4 == 0 && count != 0) {
                std::uint64_t*& own = places[(which >> 10) % count];
                // acq_rel: what the other thread wrote in the block is visible to the one that frees it
                own = shared[(choice >> 8) % transfers].exchange(own, std::memory_order_acq_rel);
                if (own == nullptr) {
                    own = places[--count];
                }
            }
        }
        while (count != 0) {
            free_words(user, places[--count]);
        }
        while (kept_count != 0) {
            free_words(user, kept[--kept_count]);
        }
        user.counts.operations = blocks;
        return user.counts;
    }

    /// A block with its size in the first word and a pattern in the others.
    template <class Memory>
    static std::uint64_t* filled(memory_user<Memory>& user, std::uint32_t words) {
        auto* p = reinterpret_cast<std::uint64_t*>(user.take_unmarked(words * 8).at);
        p[0] = words ^ cookie;
        for (std::uint32_t i = 1; i != words; ++i) {
            p[i] = (words - i) ^ cookie;
        }
        return p;
    }

    template <class Memory>
    static void free_words(memory_user<Memory>& user, std::uint64_t* p) {
        if (p == nullptr) {
            return;
        }
        const auto words = static_cast<std::uint32_t>(p[0] ^ cookie);
        bool whole = words <= 12'800;
        for (std::uint32_t i = 1; whole && i != words; ++i) {
            whole = p[i] == ((words - i) ^ cookie);
        }
        if (!whole) { // its size cannot be believed: better lost than freed
            ++user.counts.damaged;
            return;
        }
        p[0] = 0;
        user.give_unmarked({reinterpret_cast<unsigned char*>(p), words * 8});
    }
};

} // namespace linn::tool::worker
