// SPDX-License-Identifier: Apache-2.0
// linn::fixed_pool of several capacities against a shadow of what is live, misuse included: a full pool refuses, a free of
// what is not out is reported and changes nothing.
#include "../support/expect.hpp"
#include "../support/operations.hpp"
#include "../support/shadow_memory.hpp"
#include "../support/target.hpp"
#include "../support/throwing_object.hpp"
#include "misuse_recorder.hpp"

#include <linn/fixed_pool.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace {

using namespace linn_fuzz;

template <class T, std::size_t N, linn::pool_options O>
struct fixed_state {
    using object_type = T;
    static constexpr std::size_t capacity = N;
    using pool_type = linn::fixed_pool<T, N, O>;

    std::unique_ptr<pool_type> pool = std::make_unique<pool_type>();
    shadow_memory shadow;
    std::size_t peak = 0;

    void add(T* p) {
        expect(pool->owns(p), "a pool disowns its object");
        shadow.add(p, sizeof(T), alignof(T), 0);
        peak = std::max(peak, shadow.size());
    }
    void check() const {
        const linn::pool_statistics s = pool->statistics();
        expect_equal(pool->live(), shadow.size(), "live objects");
        expect_equal(s.live, shadow.size(), "live objects of the statistics");
        expect_equal(s.peak, peak, "the peak");
        expect(pool->empty() == shadow.empty() && pool->full() == (shadow.size() == N), "empty and full");
        expect(s.live + s.cached <= N, "more objects than room");
    }
    void finish() {
        while (!shadow.empty()) {
            pool->deallocate(reinterpret_cast<T*>(shadow.remove(0).data));
        }
        check();
    }
};

template <class State>
struct allocate {
    explicit allocate(input& in) : how{in.below(4)} {}
    void perform(State& s) const {
        typename State::object_type* p = nullptr;
        bool threw = false;
        try {
            p = how == 0   ? s.pool->allocate()
                : how == 1 ? s.pool->create(false)
                : how == 2 ? s.pool->try_create(false)
                           : s.pool->try_allocate();
        } catch (const std::bad_alloc&) {
            threw = true;
        }
        expect((p == nullptr) == (s.shadow.size() == State::capacity), "null exactly when the pool is full");
        expect(threw == (p == nullptr && how < 2), "bad_alloc exactly where it is promised");
        if (p != nullptr) {
            s.add(p);
        }
        s.check();
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
        const std::size_t n = s.shadow.size();
        auto* p = reinterpret_cast<typename State::object_type*>(
            s.shadow.remove(which % 4 == 0 ? n - 1 : which / 4 % n).data);
        if (which % 8 == 1) {
            s.pool->destroy(p);
        } else {
            s.pool->deallocate(p);
        }
        s.check();
    }
    std::size_t which;
};

template <class State>
struct allocate_many {
    explicit allocate_many(input& in) : count{in.below(State::capacity + 2)}, throws{in.flag()} {}
    void perform(State& s) const {
        std::vector<typename State::object_type*> out(count);
        bool got = true;
        try {
            if (throws) {
                s.pool->allocate_n(out);
            } else {
                got = s.pool->try_allocate_n(out);
            }
        } catch (const std::bad_alloc&) {
            got = false;
        }
        expect(got == (count <= State::capacity - s.shadow.size()), "all of many, or none");
        if (got) {
            operations_performed += count;
            for (auto* p : out) {
                s.add(p);
            }
        }
        s.check();
    }
    std::size_t count;
    bool throws;
};

template <class State>
struct deallocate_many {
    explicit deallocate_many(input& in) : from{in.below(256)}, count{in.few_of(State::capacity + 1)} {}
    void perform(State& s) const {
        std::vector<typename State::object_type*> all;
        for (const shadow_block& b : s.shadow.remove_some(0, from, count)) {
            all.push_back(reinterpret_cast<typename State::object_type*>(b.data));
        }
        operations_performed += all.size();
        s.pool->deallocate_n(all);
        s.check();
    }
    std::size_t from;
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
struct visit_live {
    explicit visit_live(input& in) : every{in.below(4)} {}
    void perform(State& s) const {
        std::vector<std::byte*> seen;
        std::vector<std::byte*> destroyed;
        s.pool->for_each_live([&](typename State::object_type& x) {
            seen.push_back(reinterpret_cast<std::byte*>(&x));
            if (every != 0 && seen.size() % every == 0) {
                destroyed.push_back(seen.back());
            }
        });
        expect(std::is_sorted(seen.begin(), seen.end()), "for_each_live goes by address");
        std::vector<std::byte*> wanted;
        for (const shadow_block& b : s.shadow.blocks()) {
            wanted.push_back(b.data);
        }
        std::sort(wanted.begin(), wanted.end());
        expect(seen == wanted, "for_each_live visits what is not live, or not all that is");
        // The same once more, now destroying some on the way.
        s.shadow.remove_if([&](const shadow_block& b) {
            return std::binary_search(destroyed.begin(), destroyed.end(), b.data);
        });
        std::size_t visited = 0;
        s.pool->for_each_live([&](typename State::object_type& x) {
            ++visited;
            if (std::binary_search(destroyed.begin(), destroyed.end(), reinterpret_cast<std::byte*>(&x))) {
                s.pool->destroy(&x);
            }
        });
        expect_equal(visited, wanted.size(), "objects visited while some are destroyed");
        s.check();
    }
    std::size_t every;
};

template <class State>
struct throw_in_constructor {
    explicit throw_in_constructor(input& in) : tries{in.flag()} {}
    void perform(State& s) const {
        const bool full = s.shadow.size() == State::capacity;
        bool thrown = false;
        try {
            static_cast<void>(tries ? s.pool->try_create(true) : s.pool->create(true));
        } catch (const refused_object&) {
            thrown = true;
        } catch (const std::bad_alloc&) {
            expect(full && !tries, "bad_alloc from a pool with room");
        }
        expect(thrown == !full, "the constructor's exception arrives");
        s.peak = std::max(s.peak, s.shadow.size() + (full ? 0U : 1U));
        s.check();
    }
    bool tries;
};

/// Frees something that is not out: what is free, what lies inside an object, what is elsewhere.
template <class State>
struct misuse {
    explicit misuse(input& in) : which{in.below(1 << 16)}, kind{in.below(3)}, destroys{in.flag()} {}
    void perform(State& s) const {
        using object_type = typename State::object_type;
        static object_type elsewhere;
        object_type* p = &elsewhere;
        linn::misuse_kind wanted = linn::misuse_kind::foreign_pointer;
        if (kind != 0 && s.shadow.empty()) {
            return;
        }
        if (kind == 1) {
            p = reinterpret_cast<object_type*>(s.shadow.remove(which % s.shadow.size()).data);
            s.pool->deallocate(p);
            wanted = linn::misuse_kind::double_free;
        } else if (kind == 2) {
            if (sizeof(object_type) == 1) {
                return;
            }
            std::byte* inside =
                s.shadow.blocks()[which % s.shadow.size()].data + 1 + which % (sizeof(object_type) - 1);
            if (reinterpret_cast<std::uintptr_t>(inside) % alignof(object_type) != 0 && destroys) {
                return; // nobody could have made such a reference
            }
            wanted = reinterpret_cast<std::uintptr_t>(inside) % alignof(object_type) != 0
                         ? linn::misuse_kind::misaligned_pointer
                         : linn::misuse_kind::interior_pointer;
            p = static_cast<object_type*>(static_cast<void*>(inside));
        }
        linn_test::misuse_recorder recorder;
        if (destroys) {
            s.pool->destroy(p);
        } else {
            s.pool->deallocate(p);
        }
        const auto seen = recorder.take();
        expect_equal(seen.size(), 1, "reports of a misuse");
        expect(seen[0].kind == wanted && seen[0].address == p, "the report of a misuse");
        s.check();
    }
    std::size_t which;
    std::size_t kind;
    bool destroys;
};

template <class State>
struct verify_all {
    explicit verify_all(input&) {}
    void perform(State& s) const { s.shadow.verify_all(); }
};

template <class T, std::size_t N, linn::pool_options O = linn::pool_options{}>
void fuzz(input& in) {
    using state = fixed_state<T, N, O>;
    state s;
    operations<state, often<allocate<state>, 16>, often<deallocate<state>, 14>, allocate_many<state>,
               often<deallocate_many<state>, 2>, release<state>, visit_live<state>,
               throw_in_constructor<state>, misuse<state>, verify_all<state>>::all(s, in);
    s.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    switch (in.below(6)) {
    case 0:
        fuzz<object<8, 8>, 0>(in);
        break;
    case 1:
        fuzz<object<1, 1>, 1>(in);
        break;
    case 2:
        fuzz<object<24, 8>, 64>(in);
        break;
    case 3:
        fuzz<object<37, 1>, 100, linn::pool_options{.cache_line_padding = true}>(in);
        break;
    case 4:
        fuzz<object<96, 32>, 256>(in);
        break;
    default:
        fuzz<object<4, 4>, 300>(in);
    }
    return 0;
}
