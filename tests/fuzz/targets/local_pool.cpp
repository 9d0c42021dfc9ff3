// SPDX-License-Identifier: Apache-2.0
// linn::local_pool, two types, each a pool that is made and destroyed again, against a shadow of what is live: no overlap,
// alignment, content, statistics, release() of everything, a trim that gives all back or nothing, and refused memory.
#include "../support/expect.hpp"
#include "../support/failing_new.hpp"
#include "../support/operations.hpp"
#include "../support/shadow_memory.hpp"
#include "../support/target.hpp"
#include "../support/throwing_object.hpp"

#include <linn/local_pool.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace {

using namespace linn_fuzz;

constexpr std::size_t most_objects = 20000;

/// A pool of T, and what it should hold.
template <class T, linn::pool_options O>
struct local_state {
    using object_type = T;
    using pool_type = linn::local_pool<T, O>;

    std::optional<pool_type> pool{std::in_place};
    shadow_memory shadow;
    std::size_t peak = 0;

    void add(T* p) {
        shadow.add(p, sizeof(T), alignof(T), 0);
        peak = std::max(peak, shadow.size());
    }
    T* remove(std::size_t which) {
        const std::size_t n = shadow.size();
        // Often the newest: that is what programs do.
        return reinterpret_cast<T*>(shadow.remove(which % 4 == 0 ? n - 1 : which / 4 % n).data);
    }
    void check() {
        const linn::pool_statistics s = pool->statistics();
        expect_equal(pool->live(), shadow.size(), "live objects");
        expect_equal(s.live, shadow.size(), "live objects of the statistics");
        expect(s.peak >= peak, "a peak below what was out");
        expect(s.resident_bytes <= s.reserved_bytes, "more resident than reserved");
        expect(s.reserved_bytes >= (s.live + s.cached) * s.slot_bytes, "objects without memory");
        expect((s.slabs == 0) == (s.reserved_bytes == 0), "slabs without memory");
    }
    void finish() {
        while (!shadow.empty()) {
            pool->deallocate(remove(0));
        }
        check();
        const std::size_t reserved = pool->statistics().reserved_bytes;
        expect_equal(pool->trim(), reserved, "bytes of a trim when nothing is out");
        expect_equal(pool->statistics().reserved_bytes, 0, "reserved after all was freed and trimmed");
        pool.reset();
    }
};

template <class State>
struct allocate {
    explicit allocate(input& in) : how{in.below(4)} {}
    void perform(State& s) const {
        if (s.shadow.size() < most_objects) {
            s.add(how == 0 ? s.pool->create(false) : how == 1 ? s.pool->try_allocate() : s.pool->allocate());
        }
    }
    std::size_t how;
};

template <class State>
struct deallocate {
    explicit deallocate(input& in) : which{in.below(1 << 16)} {}
    void perform(State& s) const {
        if (s.shadow.empty()) {
            return;
        }
        auto* p = s.remove(which);
        if (which % 8 == 1) {
            s.pool->destroy(p);
        } else {
            s.pool->deallocate(p);
        }
    }
    std::size_t which;
};

template <class State>
struct allocate_many {
    explicit allocate_many(input& in) : count{in.few_of(600)} {}
    void perform(State& s) const {
        if (s.shadow.size() >= most_objects) {
            return;
        }
        std::vector<typename State::object_type*> out(count);
        operations_performed += count;
        s.pool->allocate_n(out);
        for (auto* p : out) {
            s.add(p);
        }
    }
    std::size_t count;
};

template <class State>
struct deallocate_many {
    explicit deallocate_many(input& in) : from{in.below(256)}, count{in.few_of(600)}, order{in.below(3)} {}
    void perform(State& s) const {
        std::vector<typename State::object_type*> all;
        for (const shadow_block& b : s.shadow.remove_some(0, from, count)) {
            all.push_back(reinterpret_cast<typename State::object_type*>(b.data));
        }
        if (order == 1) {
            std::sort(all.begin(), all.end());
        } else if (order == 2) {
            std::sort(all.rbegin(), all.rend());
        }
        operations_performed += all.size();
        s.pool->deallocate_n(all);
    }
    std::size_t from;
    std::size_t count;
    std::size_t order;
};

template <class State>
struct reserve {
    explicit reserve(input& in) : count{in.below(2000)} {}
    void perform(State& s) const {
        s.pool->reserve(count);
        s.check();
        if (s.shadow.size() + count > most_objects) {
            return;
        }
        // What was reserved is there although the system has no more.
        const failing_scope failing{0};
        std::vector<typename State::object_type*> out(count);
        operations_performed += count;
        s.pool->allocate_n(out);
        for (auto* p : out) {
            s.add(p);
        }
    }
    std::size_t count;
};

template <class State>
struct release {
    explicit release(input&) {}
    void perform(State& s) const {
        s.shadow.remove_if([](const shadow_block&) { return true; });
        s.pool->release();
        s.check();
    }
};

template <class State>
struct trim {
    explicit trim(input&) {}
    void perform(State& s) const {
        const std::size_t reserved = s.pool->statistics().reserved_bytes;
        expect_equal(s.pool->trim(), s.shadow.empty() ? reserved : 0, "bytes of a trim");
        s.check();
    }
};

template <class State>
struct visit_live {
    explicit visit_live(input& in) : destroys{in.below(4) == 0} {}
    void perform(State& s) const {
        std::vector<std::byte*> seen;
        const std::size_t n = s.pool->for_each_live([&](typename State::object_type& x) {
            seen.push_back(reinterpret_cast<std::byte*>(&x));
            if (destroys) {
                shadow_memory::verify(
                    *std::find_if(s.shadow.blocks().begin(), s.shadow.blocks().end(),
                                  [&](const shadow_block& b) { return b.data == seen.back(); }));
                s.pool->destroy(&x);
            }
        });
        expect_equal(n, seen.size(), "objects visited");
        std::vector<std::byte*> wanted;
        for (const shadow_block& b : s.shadow.blocks()) {
            wanted.push_back(b.data);
        }
        std::sort(seen.begin(), seen.end());
        std::sort(wanted.begin(), wanted.end());
        expect(seen == wanted, "for_each_live visits what is not live, or not all that is");
        if (destroys) {
            s.shadow.forget_all();
        }
        s.check();
    }
    bool destroys;
};

template <class State>
struct run_out {
    explicit run_out(input& in) : after{in.below(3)}, how{in.below(5)}, count{1 + in.few_of(700)} {}
    void perform(State& s) const {
        if (s.shadow.size() >= most_objects) {
            return;
        }
        std::vector<typename State::object_type*> got;
        got.reserve(count);
        {
            const failing_scope failing{after};
            bool failed = false;
            try {
                if (how == 0) {
                    got.resize(count);
                    s.pool->allocate_n(got);
                } else if (how == 1) {
                    s.pool->reserve(count);
                } else {
                    while (got.size() != count && !failed) {
                        auto* p = how == 2 ? s.pool->allocate() : s.pool->try_allocate();
                        failed = p == nullptr;
                        if (!failed) {
                            got.push_back(p);
                        }
                    }
                }
            } catch (const std::bad_alloc&) {
                failed = true;
                if (how == 0) {
                    got.clear();
                }
            }
            expect(!failed || failing.refused(), "a failure that the system did not cause");
        }
        operations_performed += got.size();
        for (auto* p : got) {
            s.add(p);
        }
        s.check();
    }
    std::size_t after;
    std::size_t how;
    std::size_t count;
};

template <class State>
struct renew {
    explicit renew(input&) {}
    void perform(State& s) const {
        s.finish();
        s.pool.emplace();
        s.peak = 0;
        s.check();
    }
};

template <class State>
struct verify_all {
    explicit verify_all(input&) {}
    void perform(State& s) const {
        s.shadow.verify_all();
        s.check();
    }
};

template <class T, linn::pool_options O = linn::pool_options{}>
void fuzz(input& in) {
    using state = local_state<T, O>;
    state s;
    operations<state, often<allocate<state>, 24>, often<deallocate<state>, 24>,
               often<allocate_many<state>, 2>, often<deallocate_many<state>, 4>, reserve<state>,
               release<state>, trim<state>, visit_live<state>, throw_in_constructor<state>, run_out<state>,
               renew<state>, verify_all<state>>::all(s, in);
    s.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    switch (in.below(5)) {
    case 0:
        fuzz<object<1, 1>>(in);
        break;
    case 1:
        fuzz<object<24, 8>>(in);
        break;
    case 2:
        fuzz<object<37, 1>, linn::pool_options{.magazine_slots = 1}>(in);
        break;
    case 3:
        fuzz<object<320, 64>, linn::pool_options{.slab_bytes = 1 << 12, .magazine_slots = 7}>(in);
        break;
    default:
        fuzz<object<4096, 4096>, linn::pool_options{.slab_bytes = 1 << 16}>(in);
    }
    return 0;
}
