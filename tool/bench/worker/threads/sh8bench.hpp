// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sh6bench.hpp"

#include <atomic>

namespace linn::tool::worker {

/// As sh6bench, but what a thread keeps of a step it swaps for what some thread kept of an earlier one, and frees that: blocks
/// migrate between threads.
/// @source MicroQuill: sh8bench, as described
struct sh8bench {
    static constexpr std::size_t usual_operations = 5'000'000;
    static constexpr std::size_t shared_steps = 128; ///< for each thread

    template <class Memory>
    static tally run(const work_plan& plan) {
        const std::size_t places = shared_steps * plan.threads;
        mapped_array<group> groups{places + plan.threads};
        mapped_array<std::atomic<group*>> shared{places};
        for (std::size_t i = 0; i != places; ++i) {
            shared[i].store(&groups[i], std::memory_order_relaxed);
        }
        const std::size_t steps = std::max<std::size_t>(1, plan.operations / sh_steps::a_step);
        tally all = run_crew(plan.threads, [&](unsigned index) {
            memory_user<Memory> user;
            random_numbers random{index + 1};
            group* own = &groups[places + index];
            for (std::size_t step = 0; step != steps; ++step) {
                sh_steps::allocate(user, sh_steps::size(random), own->blocks);
                own->is_full = true;
                const std::size_t to = random.below(static_cast<std::uint32_t>(places));
                // acq_rel: what is in the group, and in its blocks, is visible to the thread that takes it
                own = shared[to].exchange(own, std::memory_order_acq_rel);
                free_all(user, *own);
            }
            user.counts.operations = user.counts.allocated;
            return user.counts;
        });
        memory_user<Memory> main;
        for (group& g : groups) {
            free_all(main, g);
        }
        return all += main.counts;
    }

private:
    struct alignas(128) group {
        block blocks[sh_steps::kept];
        bool is_full;
    };

    template <class Memory>
    static void free_all(memory_user<Memory>& user, group& g) {
        if (!g.is_full) {
            return;
        }
        for (const block& b : g.blocks) {
            user.give(b);
        }
        g.is_full = false;
    }
};

} // namespace linn::tool::worker
