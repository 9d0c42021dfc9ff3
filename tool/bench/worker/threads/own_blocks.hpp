// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"

#include <algorithm>
#include <iterator>

namespace linn::tool::worker {

/// Each thread picks one of its places at random, where it frees the block, if there is one, and allocates another. How frequent a
/// size is falls with its square. Each frees its own. Without `Refills`, a place whose block was freed stays empty until it is
/// picked again.
template <std::uint32_t Places, std::uint32_t Least, std::uint32_t Most, bool Refills>
struct random_places {
    static constexpr std::size_t usual_operations = Refills ? 4'000'000 : 3'000'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * Places};
        const std::size_t steps = plan.operations * (Refills ? 1 : 2);
        return run_users<Memory>(plan.threads, [&](auto& user, random_numbers& random, unsigned index) {
            block* const own = &blocks[std::size_t{index} * Places];
            for (std::size_t i = 0; i != steps; ++i) {
                block& b = own[random.below(Places)];
                const std::uint32_t bytes = random.inverse_square(Least, Most);
                const bool is_full = b.at != nullptr;
                if (is_full) {
                    user.give(b);
                }
                b = Refills || !is_full ? user.take(bytes) : block{};
            }
            user.give_all({own, Places});
        });
    }
};

/// @source glibc: benchtests, bench-malloc-thread, as described
using glibc_thread = random_places<1'024, 4, 32'768, true>;
/// @source Ignatchenko: testing memory allocators (alloc-test), as described
using alloc_test = random_places<16'384, 8, 1'024, false>;

/// The main thread makes an object of one byte for each thread, which frees it, and then allocates such an object again and
/// again, writes it many times and frees it. An allocator that gives two threads neighbours makes them fight for a cache line.
/// @source Berger, McKinley, Blumofe, Wilson: Hoard, ASPLOS 2000
struct cache_scratch {
    static constexpr std::size_t usual_operations = 100'000'000; ///< writes
    static constexpr std::size_t objects = 100;

    template <class Memory>
    static tally run(const work_plan& plan) {
        memory_user<Memory> main;
        mapped_array<block> first{plan.threads};
        for (block& b : first) {
            b = main.take(1);
        }
        const std::size_t writes = std::max<std::size_t>(1, plan.operations / objects);
        tally all = run_users<Memory>(plan.threads, [&](auto& user, random_numbers&, unsigned index) {
            user.give(first[index]);
            for (std::size_t i = 0; i != objects; ++i) {
                const block b = user.take(1);
                auto* const byte = static_cast<volatile unsigned char*>(b.at);
                const unsigned char mark = *byte;
                for (std::size_t w = 0; w != writes; ++w) {
                    *byte = static_cast<unsigned char>(*byte + 1);
                }
                user.counts.damaged += *byte != static_cast<unsigned char>(mark + writes) ? 1U : 0U;
                *byte = mark;
                user.give(b);
            }
            user.counts.operations = objects * writes;
        });
        return all += main.counts;
    }
};

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
        return run_users<Memory>(plan.threads, [&](auto& user, random_numbers& random, unsigned index) {
            block* const own = &blocks[index * held];
            for (std::size_t step = 0; step != steps; ++step) {
                block* const oldest = own + step % window * sh_steps::kept;
                user.give_all({oldest, sh_steps::kept});
                sh_steps::allocate(user, sh_steps::size(random), oldest);
            }
            user.give_all({own, held});
        });
    }
};

} // namespace linn::tool::worker
