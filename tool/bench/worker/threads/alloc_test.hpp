// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"
#include "random.hpp"

namespace linn::tool::worker {

/// Each thread picks one of its 16 384 places at random: what is there is freed; an empty place gets a block of 8 to 1024 bytes,
/// where small sizes are much more frequent. Each frees its own.
/// @source Ignatchenko: testing memory allocators (alloc-test), as described
struct alloc_test {
    static constexpr std::size_t usual_operations = 3'000'000;
    static constexpr std::uint32_t places = 16'384;
    static constexpr std::uint32_t least = 8;
    static constexpr std::uint32_t most = 1'024;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * places};
        return run_crew(plan.threads, [&](unsigned index) {
            memory_user<Memory> user;
            random_numbers random{index + 1};
            block* const own = &blocks[std::size_t{index} * places];
            for (std::size_t i = 0; i != 2 * plan.operations; ++i) {
                block& b = own[random.below(places)];
                const std::uint32_t bytes = random.inverse_square(least, most);
                if (b.at == nullptr) {
                    b = user.take(bytes);
                } else {
                    user.give(b);
                    b = {};
                }
            }
            for (std::uint32_t i = 0; i != places; ++i) {
                if (own[i].at != nullptr) {
                    user.give(own[i]);
                }
            }
            user.counts.operations = user.counts.allocated;
            return user.counts;
        });
    }
};

} // namespace linn::tool::worker
