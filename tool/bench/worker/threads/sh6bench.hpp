// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"
#include "random.hpp"

#include <algorithm>
#include <iterator>

namespace linn::tool::worker {

/// How sh6bench and sh8bench allocate: step by step 64 blocks of one size, small ones more often than large ones.
struct sh_steps {
    static constexpr std::size_t a_step = 64;
    static constexpr std::size_t kept =
        a_step / 2; ///< of a step; the others are freed at once, the last one first

    /// 1 to 1000 bytes, half of them less than 250.
    static std::uint32_t size(random_numbers& random) noexcept {
        const std::uint64_t u = random.below(1'000);
        return static_cast<std::uint32_t>(1 + u * u / 1'000);
    }

    /// Allocates a step and frees its second half; `first[0 … kept)` stay.
    template <class Memory>
    static void allocate(memory_user<Memory>& user, std::uint32_t bytes, block* first) {
        block rest[a_step - kept];
        for (std::size_t i = 0; i != kept; ++i) {
            first[i] = user.take(bytes);
        }
        for (block& b : rest) {
            b = user.take(bytes);
        }
        for (std::size_t i = std::size(rest); i != 0; --i) {
            user.give(rest[i - 1]);
        }
    }
};

/// Steps of small blocks: half of each are freed at once in reverse order, the others later in the order of allocation, when
/// 128 steps have passed. Each thread frees what it allocated itself.
/// @source MicroQuill: sh6bench, as described
struct sh6bench {
    static constexpr std::size_t usual_operations = 5'000'000;
    static constexpr std::size_t window = 128; ///< steps

    template <class Memory>
    static tally run(const work_plan& plan) {
        constexpr std::size_t held = window * sh_steps::kept;
        mapped_array<block> blocks{plan.threads * held};
        const std::size_t steps = std::max<std::size_t>(1, plan.operations / sh_steps::a_step);
        return run_crew(plan.threads, [&](unsigned index) {
            memory_user<Memory> user;
            random_numbers random{index + 1};
            block* const own = &blocks[index * held];
            for (std::size_t step = 0; step != steps; ++step) {
                block* const oldest = own + step % window * sh_steps::kept;
                free_all(user, oldest);
                sh_steps::allocate(user, sh_steps::size(random), oldest);
            }
            for (std::size_t i = 0; i != window; ++i) {
                free_all(user, own + i * sh_steps::kept);
            }
            user.counts.operations = user.counts.allocated;
            return user.counts;
        });
    }

private:
    template <class Memory>
    static void free_all(memory_user<Memory>& user, block* blocks) {
        for (std::size_t i = 0; i != sh_steps::kept; ++i) {
            if (blocks[i].at != nullptr) {
                user.give(blocks[i]);
                blocks[i] = {};
            }
        }
    }
};

} // namespace linn::tool::worker
