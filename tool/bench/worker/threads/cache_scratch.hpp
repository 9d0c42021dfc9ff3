// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"

#include <algorithm>

namespace linn::tool::worker {

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
        tally all = run_crew(plan.threads, [&](unsigned index) {
            memory_user<Memory> user;
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
            return user.counts;
        });
        return all += main.counts;
    }
};

} // namespace linn::tool::worker
