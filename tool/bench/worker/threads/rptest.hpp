// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"
#include "random.hpp"

#include <algorithm>
#include <atomic>
#include <new>

namespace linn::tool::worker {

/// Each thread holds 1000 blocks of 8 to 16 000 bytes, the larger the rarer. In a loop it frees 100 of them, scattered, and
/// allocates as many again; in every second loop it hands 100 more to another thread, which frees them. So a third of
/// the blocks is freed by others.
/// @source Jansson: rpmalloc-benchmark, as described
struct rptest {
    static constexpr std::size_t usual_operations = 1'200'000;
    static constexpr std::uint32_t slots = 1'000;
    static constexpr std::uint32_t a_loop = 100;
    static constexpr std::uint32_t stride = 37; ///< has no factor in common with `slots`
    static constexpr std::uint32_t least = 8;
    static constexpr std::uint32_t most = 16'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * slots};
        mapped_array<mailbox> mail{plan.threads};
        // Two loops allocate three hundred blocks, and the memory of a parcel.
        const std::size_t loops = std::max<std::size_t>(2, 2 * plan.operations / (3 * a_loop));
        tally all = run_crew(plan.threads, [&](unsigned index) {
            return work<Memory>(&blocks[std::size_t{index} * slots], mail, index, loops);
        });
        memory_user<Memory> main;
        for (mailbox& box : mail) {
            empty(main, box);
        }
        return all += main.counts;
    }

private:
    /// Blocks on their way to another thread.
    struct parcel {
        block blocks[a_loop];
        parcel* next;
        block self;
    };
    struct alignas(128) mailbox {
        std::atomic<parcel*> first;
    };

    template <class Memory>
    static tally work(block* own, mapped_array<mailbox>& mail, unsigned index, std::size_t loops) {
        memory_user<Memory> user;
        random_numbers random{index + 1};
        for (std::uint32_t i = 0; i != slots; ++i) {
            own[i] = user.take(random.falling(least, most));
        }
        for (std::size_t loop = 0; loop != loops; ++loop) {
            empty(user, mail[index]);
            std::uint32_t place = random.below(slots);
            for (std::uint32_t i = 0; i != a_loop; ++i, place = (place + stride) % slots) {
                user.give(own[place]);
                own[place] = user.take(random.falling(least, most));
            }
            const std::size_t others = mail.size() - 1;
            const std::size_t to = index + (others == 0 ? 0 : 1 + random.next() % others);
            if (loop % 2 != 0) {
                send(user, mail[to % mail.size()], random);
            }
        }
        for (std::uint32_t i = 0; i != slots; ++i) {
            user.give(own[i]);
        }
        user.counts.operations = user.counts.allocated;
        return user.counts;
    }

    template <class Memory>
    static void send(memory_user<Memory>& user, mailbox& to, random_numbers& random) {
        const block memory = user.take_unmarked(sizeof(parcel));
        parcel* const p = new (memory.at) parcel;
        p->self = memory;
        for (block& b : p->blocks) {
            b = user.take(random.falling(least, most));
        }
        p->next = to.first.load(std::memory_order_relaxed);
        // release: pairs with the acquire in empty, publishes the parcel and what its blocks hold
        while (
            !to.first.compare_exchange_weak(p->next, p, std::memory_order_release, std::memory_order_relaxed))
            ;
    }

    template <class Memory>
    static void empty(memory_user<Memory>& user, mailbox& box) {
        // acquire: pairs with the release in send
        for (parcel* p = box.first.exchange(nullptr, std::memory_order_acquire); p != nullptr;) {
            parcel* const next = p->next;
            for (const block& b : p->blocks) {
                user.give(b);
            }
            user.give_unmarked(p->self);
            p = next;
        }
    }
};

} // namespace linn::tool::worker
