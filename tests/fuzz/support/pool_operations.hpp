// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_POOL_OPERATIONS_HPP
#define LINN_TESTS_FUZZ_POOL_OPERATIONS_HPP

#include "any_pool.hpp"
#include "input.hpp"
#include "shadow_memory.hpp"
#include "throwing_object.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace linn_fuzz {

/// Pools of one kind, and what is live in them: no two objects overlap, each is aligned and keeps its content, statistics
/// count what the shadow counts, and a refused call changes nothing.
struct pools_state {
    static constexpr std::size_t most_bytes = std::size_t{16} << 20;
    static constexpr std::size_t most_objects = 20000;

    std::vector<std::unique_ptr<any_pool>> pools;
    shadow_memory shadow;

    void add(std::size_t pool, void* p) {
        expect(pools[pool]->owns(p), "a pool disowns its object");
        shadow.add(p, pools[pool]->bytes, pools[pool]->align, pool);
        pools[pool]->has_held(shadow.count(pool));
    }
    void add_all(std::size_t pool, const std::vector<void*>& all) {
        operations_performed += all.size();
        for (void* p : all) {
            add(pool, p);
        }
        check(pool);
    }
    void check(std::size_t pool) { pools[pool]->check(shadow.count(pool)); }
    /// Whether the pool's limit forbids `n` more.
    [[nodiscard]] bool refuses(std::size_t pool, std::size_t n) const {
        return n > pools[pool]->most - shadow.count(pool);
    }
    /// Whether memory has an end before the pool has.
    [[nodiscard]] bool is_full() const { return shadow.bytes() > most_bytes || shadow.size() > most_objects; }
    /// So many objects that they still fit; of a small pool sometimes one more than it holds.
    [[nodiscard]] std::size_t fitting(std::size_t pool, std::size_t count) const {
        const std::size_t most = pools[pool]->most;
        return std::min(most < 300 ? count % (most + 2) : count, most_bytes / 4 / pools[pool]->bytes);
    }
    void free_all() {
        while (!shadow.empty()) {
            const shadow_block b = shadow.remove(shadow.size() - 1);
            pools[b.origin]->deallocate(b.data);
        }
        for (std::size_t i = 0; i != pools.size(); ++i) {
            check(i);
        }
    }
};

template <class State>
void allocate(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    const std::size_t how = in.below(4);
    if (s.is_full()) {
        return;
    }
    void* p = s.pools[pool]->allocate(how);
    expect((p == nullptr) == s.refuses(pool, 1), "null exactly when the limit is reached");
    if (p != nullptr) {
        s.add(pool, p);
    } else {
        s.check(pool);
    }
}

template <class State>
void deallocate(State& s, input& in) {
    const std::size_t which = in.below(1 << 16);
    if (s.shadow.empty()) {
        return;
    }
    const std::size_t n = s.shadow.size();
    // Often the newest: that is what programs do.
    const shadow_block b = s.shadow.remove(which % 4 == 0 ? n - 1 : which / 4 % n);
    if (which % 8 == 1) {
        s.pools[b.origin]->destroy(b.data);
    } else {
        s.pools[b.origin]->deallocate(b.data);
    }
}

template <class State>
void allocate_many(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    const std::size_t count = in.few_of(700);
    if (s.is_full()) {
        return;
    }
    std::vector<void*> out(s.fitting(pool, count));
    const bool all = s.pools[pool]->allocate_n(out, count / 2 % 2 == 0);
    expect(all != s.refuses(pool, out.size()), "all of many, or none");
    s.add_all(pool, all ? out : std::vector<void*>{});
}

template <class State>
void deallocate_many(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    const std::size_t from = in.below(256);
    const std::size_t count = in.few_of(700);
    const std::size_t order = in.below(3);
    std::vector<void*> all;
    for (const shadow_block& b : s.shadow.remove_some(pool, from, count)) {
        all.push_back(b.data);
    }
    if (order == 1) {
        std::sort(all.begin(), all.end());
    } else if (order == 2) {
        std::sort(all.rbegin(), all.rend());
    }
    operations_performed += all.size();
    s.pools[pool]->deallocate_n(all);
}

template <class State>
void reserve(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    const std::size_t count = in.below(2000);
    const std::size_t n = s.fitting(pool, count);
    expect(s.pools[pool]->reserve(n) != s.refuses(pool, n),
           "a reservation beyond the limit, or none below it");
    s.check(pool);
    if (!State::reserves_for_one || s.is_full()) {
        return;
    }
    // What was reserved is there although the system has no more.
    std::vector<void*> out(n);
    {
        const typename State::failing failing{0};
        expect(s.pools[pool]->allocate_n(out, false), "what was reserved is not there");
    }
    s.add_all(pool, out);
}

template <class State>
void release(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    s.shadow.remove_if([pool](const shadow_block& b) { return b.origin == pool; });
    s.pools[pool]->release();
    s.check(pool);
}

template <class State>
void look(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    const std::size_t which = in.below(256);
    s.check(pool);
    int local = 0;
    expect(!s.pools[pool]->owns(&local), "a pool owns the stack");
    if (!s.shadow.empty()) {
        const shadow_block& b = s.shadow.blocks()[which % s.shadow.size()];
        // A heap knows the starts of its blocks.
        const std::size_t inside = linn::detail::sanitizer_bypass ? 0 : which % s.pools[b.origin]->bytes;
        expect(s.pools[b.origin]->owns(b.data + inside), "a pool disowns its object");
        expect(b.origin == pool || !s.pools[pool]->owns(b.data), "a pool owns another's object");
    }
}

template <class State>
void visit_live(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    std::vector<std::byte*> seen;
    const std::size_t n = s.pools[pool]->visit_live([&](std::byte* p) {
        seen.push_back(p);
        return false;
    });
    expect_equal(n, seen.size(), "objects visited");
    expect(!State::visits_by_address || std::is_sorted(seen.begin(), seen.end()),
           "for_each_live goes by address");
    std::vector<std::byte*> wanted;
    for (const shadow_block& b : s.shadow.blocks()) {
        if (b.origin == pool) {
            wanted.push_back(b.data);
        }
    }
    std::sort(seen.begin(), seen.end());
    std::sort(wanted.begin(), wanted.end());
    expect(seen == wanted, "for_each_live visits what is not live, or not all that is");
    const std::size_t every = wanted.size() % 4;
    if (every == 0) {
        return;
    }
    // The same once more, now destroying some on the way.
    const auto destroyed = [&](std::byte* p) {
        const auto place = std::lower_bound(wanted.begin(), wanted.end(), p);
        return static_cast<std::size_t>(place - wanted.begin()) % every == 0;
    };
    s.shadow.remove_if([&](const shadow_block& b) { return b.origin == pool && destroyed(b.data); });
    expect_equal(s.pools[pool]->visit_live(destroyed), wanted.size(),
                 "objects visited while some are destroyed");
    s.check(pool);
}

template <class State>
void throw_in_constructor(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    for (const bool tries : {false, true}) {
        bool thrown = false;
        try {
            s.pools[pool]->create_refused(tries);
        } catch (const refused_object&) {
            thrown = true;
        } catch (const std::bad_alloc&) {
            expect(s.refuses(pool, 1), "bad_alloc from a pool with room");
        }
        expect(thrown != s.refuses(pool, 1), "the constructor's exception arrives");
        s.pools[pool]->has_held(s.shadow.count(pool) + (thrown ? 1U : 0U));
        s.check(pool);
    }
}

/// The system refuses memory from its n-th request on; what then fails has changed nothing.
template <class State>
void run_out(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    const std::size_t after = in.below(4);
    const std::size_t how = in.below(5);
    const std::size_t count = in.few_of(700);
    if (s.is_full()) {
        return;
    }
    const std::size_t n = s.fitting(pool, count) + 1;
    std::vector<void*> got;
    got.reserve(n);
    {
        const typename State::failing failing{after};
        bool failed = false;
        if (how == 0) {
            got.resize(n);
            failed = !s.pools[pool]->allocate_n(got, false);
            got.resize(failed ? 0 : n);
        } else if (how == 1) {
            failed = !s.pools[pool]->reserve(n);
        } else {
            while (got.size() != n && !failed) {
                void* p = s.pools[pool]->allocate(how == 2 ? 1 : 3);
                failed = p == nullptr;
                if (!failed) {
                    got.push_back(p);
                }
            }
        }
        expect(!failed || failing.refused() || s.refuses(pool, n),
               "a failure that neither the system nor the limit caused");
        expect(failed || !s.refuses(pool, n), "more objects than the limit allows");
    }
    s.add_all(pool, got);
}

template <class State>
void renew(State& s, input& in) {
    const std::size_t pool = in.below(State::pool_count);
    s.finish();
    s.pools[pool]->renew();
    s.check(pool);
}

template <class State>
void verify_all(State& s, input&) {
    s.shadow.verify_all();
}

} // namespace linn_fuzz

#endif
