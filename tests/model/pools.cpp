// SPDX-License-Identifier: Apache-2.0
// What lies between a pool and its depot: the registry, thread exit, thread numbers, siblings of other modules.
#include "depot_scenarios.hpp"

#include <linn/detail/sync/thread_cache.hpp>
#include <linn/detail/sync/thread_exit.hpp>

namespace model::of_pools {

using root_type = linn::detail::pool_root<policy>;
using linn::detail::pool_description;

const struct prepared {
    prepared() {
        share_thread_numbers();
        // A fiber does not end as a thread does: what its janitor would do, scenarios do.
        linn::detail::this_thread<policy>.janitor_armed = true;
        make_local(&linn::detail::this_thread<policy>, sizeof linn::detail::this_thread<policy>);
    }
} preparation;

const pool_description one{.sizes = small_geometry(1), .type = linn::detail::label_of("one")};
const pool_description two{.sizes = small_geometry(1, 1024), .type = linn::detail::label_of("two")};

struct pool_of_a_type {
    explicit pool_of_a_type(const pool_description& d) { shared.description = &d; }

    void* allocate(unsigned t, std::size_t value) {
        void* p = nullptr;
        if (!fronts[t].try_pop(p)) {
            p = linn::detail::allocate_slow(fronts[t], shared);
        }
        check(p != nullptr, "there is memory");
        use(p, value);
        return p;
    }
    void deallocate(unsigned t, void* p, std::size_t value) {
        check_use(p, value);
        if (!fronts[t].try_push(p)) {
            linn::detail::deallocate_slow(fronts[t], shared, p);
        }
    }
    void check_all_back() {
        depot* d = linn::detail::existing_depot(shared);
        check(d != nullptr && d->consistent(), "the slabs are consistent");
        const auto s = d->statistics();
        check(s.live == 0 && s.threads == 0, "what was handed out came back, and each thread was flushed");
    }

    root_type shared;
    front fronts[3];
};

/// Two threads use a pool for the first time at once: one depot comes of it, and both see it whole.
struct creation {
    void run(unsigned t) {
        void* p = pool.allocate(t, t);
        pool.deallocate(t, p, t);
        linn::detail::flush_this_thread<policy>();
    }
    void finish() { pool.check_all_back(); }
    pool_of_a_type pool{one};
};
const registration<creation> creation_of_two{"pool.creation", 2};

/// A third one uses another pool for the first time meanwhile.
struct creations {
    void run(unsigned t) {
        pool_of_a_type& mine = t == 2 ? second : first;
        check(linn::detail::depot_of(mine.shared) != nullptr, "there is memory");
    }
    void finish() {
        unsigned primary = 0;
        for (const depot* d = registry::process().newest(); d != nullptr; d = d->older) {
            primary += d->is_primary() ? 1U : 0U;
        }
        check(primary == 2, "each pool has one primary depot");
    }
    pool_of_a_type first{one};
    pool_of_a_type second{two};
};
const registration<creations> creation_of_three{"pool.creation_three", 3};

/// A thread ends, calls of its destructors follow that have no cache any more, and somebody looks at all pools.
struct thread_exit {
    void run(unsigned t) {
        if (t == 0) {
            void* p = first.allocate(0, 1);
            linn::detail::flush_this_thread<policy>();
            void* q = first.allocate(0, 2);
            first.deallocate(0, p, 1);
            first.deallocate(0, q, 2);
            return;
        }
        if (depot* d = linn::detail::existing_depot(first.shared); d != nullptr) {
            check(d->statistics().live <= 2, "statistics are in bounds");
        }
        for (depot* d = registry::process().newest(); d != nullptr; d = d->older) {
            d->trim(nullptr);
            if (!d->is_primary()) {
                continue;
            }
            const auto s = d->statistics();
            check(s.live <= 2 && s.cached <= 4 && s.threads <= 1, "statistics are in bounds");
        }
    }
    void finish() { first.check_all_back(); }
    pool_of_a_type first{one};
};
const registration<thread_exit> exit_of_two{"pool.thread_exit", 2};

/// Two modules have a pool each of one type. One allocates, the other frees: the object finds its way home,
/// while its home is in use.
struct siblings {
    void run(unsigned t) {
        if (t == 0) {
            passed.send(ours.allocate(0, 1));
            void* p = ours.allocate(0, 2);
            ours.deallocate(0, p, 2);
        } else {
            void* p = passed.receive();
            theirs.deallocate(1, p, 1);
            linn::detail::depot_of(theirs.shared)->trim(&theirs.fronts[1]);
        }
        linn::detail::flush_this_thread<policy>();
    }
    void finish() {
        ours.check_all_back();
        theirs.check_all_back();
    }
    pool_of_a_type ours{one};
    pool_of_a_type theirs{one};
    box passed;
};
const registration<siblings> siblings_of_two{"pool.siblings", 2};

} // namespace model::of_pools
