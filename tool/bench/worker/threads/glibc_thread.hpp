// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"
#include "random.hpp"

namespace linn::tool::worker {

/// Each thread frees one of its 1024 blocks at random and allocates another, of 4 to 32 768 bytes: how frequent a size is falls
/// with its square. Each frees its own.
/// @source glibc: benchtests, bench-malloc-thread, as described
struct glibc_thread {
    static constexpr std::size_t usual_operations = 4'000'000;
    static constexpr std::uint32_t slots = 1'024;
    static constexpr std::uint32_t least = 4;
    static constexpr std::uint32_t most = 32'768;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * slots};
        return run_crew(plan.threads, [&](unsigned index) {
            memory_user<Memory> user;
            random_numbers random{index + 1};
            block* const own = &blocks[std::size_t{index} * slots];
            for (std::size_t i = 0; i != plan.operations; ++i) {
                block& b = own[random.below(slots)];
                if (b.at != nullptr) {
                    user.give(b);
                }
                b = user.take(random.inverse_square(least, most));
            }
            for (std::uint32_t i = 0; i != slots; ++i) {
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
