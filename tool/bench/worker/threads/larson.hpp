// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"
#include "random.hpp"

#include <algorithm>
#include <thread>

namespace linn::tool::worker {

/// A server whose threads come and go: each owns 5000 blocks, of which it frees one at random and allocates another of 8 to
/// 1000 bytes. After 500 000 rounds it ends, and a successor inherits its blocks. So threads free what threads
/// allocated that are gone, and in the beginning what the main thread allocated.
/// @source Larson, Krishnan: Memory Allocation for Long-Running Server Applications, ISMM 1998
struct larson {
    static constexpr std::size_t usual_operations = 2'500'000;
    static constexpr std::uint32_t slots = 5'000;
    static constexpr std::size_t rounds_of_a_life = 500'000;
    static constexpr std::uint32_t least = 8;
    static constexpr std::uint32_t most = 1'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * slots};
        memory_user<Memory> main;
        random_numbers first{0};
        for (block& b : blocks) {
            b = main.take(first.between(least, most));
        }
        tally all = run_crew(plan.threads, [&](unsigned index) {
            tally sum;
            std::uint64_t life = 0;
            for (std::size_t left = plan.operations; left != 0; ++life) {
                const std::size_t rounds = std::min(left, rounds_of_a_life);
                std::thread{[&] {
                    sum += live<Memory>(&blocks[std::size_t{index} * slots], rounds, index, life);
                }}.join();
                left -= rounds;
            }
            return sum;
        });
        for (const block& b : blocks) {
            main.give(b);
        }
        return all += main.counts;
    }

private:
    template <class Memory>
    static tally live(block* own, std::size_t rounds, unsigned index, std::uint64_t life) {
        memory_user<Memory> user;
        random_numbers random{(life << 32) + index + 1};
        for (std::size_t i = 0; i != rounds; ++i) {
            block& b = own[random.below(slots)];
            user.give(b);
            b = user.take(random.between(least, most));
        }
        user.counts.operations = rounds;
        return user.counts;
    }
};

} // namespace linn::tool::worker
