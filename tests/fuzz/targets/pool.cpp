// SPDX-License-Identifier: Apache-2.0
// linn::pool, several types at once, against a shadow of what is live: no two objects overlap, each is aligned and keeps
// its content, statistics count what the shadow counts, a refused allocation changes nothing, and when all is freed all
// memory goes back. Threads begin and end between operations, and may free what others allocated.
#include "../support/crew_operations.hpp"
#include "../support/expect.hpp"
#include "../support/failing_mmap.hpp"
#include "../support/operations.hpp"
#include "../support/shadow_memory.hpp"
#include "../support/target.hpp"
#include "../support/throwing_object.hpp"

#include <linn/misuse.hpp>
#include <linn/pool.hpp>
#include <linn/statistics.hpp>

#include <algorithm>
#include <new>
#include <span>
#include <vector>

namespace {

using namespace linn_fuzz;

/// One pool, without its type.
struct pool_under_test {
    std::size_t bytes;
    std::size_t align;
    std::size_t max_objects;
    void* (*allocate)(bool throwing);
    void* (*create)(bool throwing);
    void (*deallocate)(void*);
    void (*destroy)(void*);
    void (*allocate_n)(std::span<void*>);
    void (*deallocate_n)(std::span<void* const>);
    void (*reserve)(std::size_t);
    std::size_t (*trim)();
    linn::pool_statistics (*statistics)();
    std::size_t (*visit_live)(std::vector<void*>&);
    bool (*owns)(const void*);
};

template <class T, linn::pool_options O = linn::pool_options{}>
constexpr pool_under_test pool_of() {
    using pool = linn::pool<T, O>;
    return {
        .bytes = sizeof(T),
        .align = alignof(T),
        .max_objects = O.max_objects,
        .allocate = [](bool throwing) -> void* { return throwing ? pool::allocate() : pool::try_allocate(); },
        .create = [](bool throwing) -> void* { return pool::create(throwing); },
        .deallocate = [](void* p) { pool::deallocate(static_cast<T*>(p)); },
        .destroy = [](void* p) { pool::destroy(static_cast<T*>(p)); },
        .allocate_n =
            [](std::span<void*> out) {
                std::vector<T*> objects(out.size());
                pool::allocate_n(objects);
                std::copy(objects.begin(), objects.end(), out.begin());
            },
        .deallocate_n =
            [](std::span<void* const> all) {
                std::vector<T*> objects(all.size());
                std::transform(all.begin(), all.end(), objects.begin(),
                               [](void* p) { return static_cast<T*>(p); });
                pool::deallocate_n(objects);
            },
        .reserve = [](std::size_t n) { pool::reserve(n); },
        .trim = [] { return pool::trim(); },
        .statistics = [] { return pool::statistics(); },
        .visit_live =
            [](std::vector<void*>& seen) {
                return pool::for_each_live([&seen](T& x) { seen.push_back(&x); });
            },
        .owns = [](const void* p) { return pool::owns(p); },
    };
}

constexpr pool_under_test pools[] = {
    pool_of<object<1, 1>>(),
    pool_of<object<24, 8>>(),
    pool_of<object<37, 1>, linn::pool_options{.magazine_slots = 1}>(),
    pool_of<object<48, 16>, linn::pool_options{.magazine_slots = 5, .retain_bytes = 0}>(),
    pool_of<object<8, 8>, linn::pool_options{.slab_bytes = 1 << 16, .cache_line_padding = true}>(),
    pool_of<object<1000, 8>, linn::pool_options{.slab_bytes = 1 << 12, .retain_bytes = 1 << 14}>(),
    pool_of<object<4096, 4096>>(),
    pool_of<object<40000, 64>>(),
    pool_of<object<56, 8>, linn::pool_options{.max_objects = 300}>(),
};
constexpr std::size_t pool_count = std::size(pools);
constexpr std::size_t most_bytes = std::size_t{16} << 20;

struct pool_state;
void run_some(pool_state& state, input& in, std::size_t n);

struct pool_state {
    shadow_memory shadow;
    crew threads;
    input* rest = nullptr;
    bool is_elsewhere = false;
    linn::pool_statistics before[pool_count];

    pool_state() {
        linn::set_misuse_handler(
            [](const linn::misuse&) noexcept { expect(false, "a misuse that nobody committed"); });
        for (std::size_t i = 0; i != pool_count; ++i) {
            before[i] = pools[i].statistics();
        }
    }

    void add(std::size_t pool, void* p) { shadow.add(p, pools[pool].bytes, pools[pool].align, pool); }
    /// Whether the pool's limit forbids `n` more.
    [[nodiscard]] bool refuses(std::size_t pool, std::size_t n) const {
        return pools[pool].max_objects != 0 && n > pools[pool].max_objects - shadow.count(pool);
    }
    [[nodiscard]] bool is_full() const { return shadow.bytes() > most_bytes; }

    void check(std::size_t pool) {
        const linn::pool_statistics s = pools[pool].statistics();
        linn::pool_statistics& old = before[pool];
        expect_equal(s.live, shadow.count(pool), "live objects");
        expect(s.peak >= s.live && s.peak >= old.peak, "a peak below what was out");
        expect(s.slot_bytes >= pools[pool].bytes && s.object_bytes == pools[pool].bytes, "sizes");
        expect(s.resident_bytes <= s.reserved_bytes, "more resident than reserved");
        expect(s.reserved_bytes >= (s.live + s.cached) * s.slot_bytes || linn::detail::sanitizer_bypass,
               "objects without memory");
        expect(s.returned_bytes >= old.returned_bytes && s.depot_visits >= old.depot_visits,
               "a counter that went back");
        expect(s.threads <= crew::most + 1, "more caches than threads");
        old = s;
    }

    /// Frees what is left, ends the threads, and looks whether everything is back.
    void finish() {
        while (!shadow.empty()) {
            const shadow_block b = shadow.remove(shadow.size() - 1);
            pools[b.origin].deallocate(b.data);
        }
        for (std::size_t i = 0; i != crew::most; ++i) {
            threads.dismiss(i);
        }
        for (std::size_t i = 0; i != pool_count; ++i) {
            pools[i].trim();
            check(i);
            const linn::pool_statistics s = pools[i].statistics();
            expect_equal(s.cached, 0, "objects cached after a trim");
            expect_equal(s.resident_bytes, s.slabs * linn::detail::page_bytes,
                         "resident after a trim of nothing but slab headers");
        }
    }
};

template <class F>
void expect_refusal(F&& f) {
    bool refused = false;
    try {
        f();
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    expect(refused, "a call beyond the limit goes through");
}

struct allocate {
    explicit allocate(input& in) : pool{in.below(pool_count)}, how{in.below(4)} {}
    void perform(pool_state& s) const {
        if (s.is_full()) {
            return;
        }
        if (s.refuses(pool, 1)) {
            expect(pools[pool].allocate(false) == nullptr, "an object beyond the limit");
            s.check(pool);
            return;
        }
        s.add(pool, how == 0 ? pools[pool].create(false) : pools[pool].allocate(how == 1));
    }
    std::size_t pool;
    std::size_t how;
};

struct deallocate {
    explicit deallocate(input& in) : which{in.below(1 << 16)} {}
    void perform(pool_state& s) const {
        if (s.shadow.empty()) {
            return;
        }
        const std::size_t n = s.shadow.size();
        // Often the newest: that is what programs do.
        const shadow_block b = s.shadow.remove(which % 4 == 0 ? n - 1 : which / 4 % n);
        (which % 8 == 1 ? pools[b.origin].destroy : pools[b.origin].deallocate)(b.data);
    }
    std::size_t which;
};

struct allocate_many {
    explicit allocate_many(input& in) : pool{in.below(pool_count)}, count{in.few_of(700)} {}
    void perform(pool_state& s) const {
        if (s.is_full()) {
            return;
        }
        const std::size_t n = std::min(count, most_bytes / 4 / pools[pool].bytes);
        std::vector<void*> out(n);
        operations_performed += n;
        if (s.refuses(pool, n)) {
            expect_refusal([&] { pools[pool].allocate_n(out); });
            s.check(pool);
            return;
        }
        pools[pool].allocate_n(out);
        for (void* p : out) {
            s.add(pool, p);
        }
    }
    std::size_t pool;
    std::size_t count;
};

struct deallocate_many {
    explicit deallocate_many(input& in)
        : pool{in.below(pool_count)},
          from{in.below(256)},
          count{in.few_of(700)},
          order{in.below(3)} {}
    void perform(pool_state& s) const {
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
        pools[pool].deallocate_n(all);
    }
    std::size_t pool;
    std::size_t from;
    std::size_t count;
    std::size_t order;
};

struct reserve {
    explicit reserve(input& in) : pool{in.below(pool_count)}, count{in.below(2000)} {}
    void perform(pool_state& s) const {
        const std::size_t n = std::min(count, most_bytes / 4 / pools[pool].bytes);
        if (s.refuses(pool, n)) {
            expect_refusal([&] { pools[pool].reserve(n); });
        } else {
            pools[pool].reserve(n);
        }
        s.check(pool);
    }
    std::size_t pool;
    std::size_t count;
};

struct trim {
    explicit trim(input& in) : pool{in.below(pool_count)} {}
    void perform(pool_state& s) const {
        const std::size_t returned = pools[pool].statistics().returned_bytes;
        const std::size_t bytes = pools[pool].trim();
        s.check(pool);
        expect_equal(s.before[pool].returned_bytes - returned, bytes, "bytes that a trim gave back");
    }
    std::size_t pool;
};

struct look {
    explicit look(input& in) : pool{in.below(pool_count)}, which{in.below(256)} {}
    void perform(pool_state& s) const {
        s.check(pool);
        int local = 0;
        expect(!pools[pool].owns(&local), "a pool owns the stack");
        if (!s.shadow.empty()) {
            const shadow_block& b = s.shadow.blocks()[which % s.shadow.size()];
            expect(pools[b.origin].owns(b.data), "a pool disowns its object");
            expect(b.origin == pool || !pools[pool].owns(b.data), "a pool owns another's object");
        }
    }
    std::size_t pool;
    std::size_t which;
};

struct visit_live {
    explicit visit_live(input& in) : pool{in.below(pool_count)} {}
    void perform(pool_state& s) const {
        std::vector<void*> seen;
        const std::size_t n = pools[pool].visit_live(seen);
        expect_equal(n, seen.size(), "objects visited");
        std::vector<void*> wanted;
        for (const shadow_block& b : s.shadow.blocks()) {
            if (b.origin == pool) {
                wanted.push_back(b.data);
            }
        }
        std::sort(seen.begin(), seen.end());
        std::sort(wanted.begin(), wanted.end());
        expect(seen == wanted, "for_each_live visits what is not live, or not all that is");
    }
    std::size_t pool;
};

struct throw_in_constructor {
    explicit throw_in_constructor(input& in) : pool{in.below(pool_count)} {}
    void perform(pool_state& s) const {
        if (s.refuses(pool, 1)) {
            expect_refusal([&] { static_cast<void>(pools[pool].create(true)); });
            return;
        }
        bool thrown = false;
        try {
            static_cast<void>(pools[pool].create(true));
        } catch (const refused_object&) {
            thrown = true;
        }
        expect(thrown, "the constructor's exception arrives");
        s.check(pool);
    }
    std::size_t pool;
};

/// The system refuses memory from its n-th request on; what then fails has changed nothing.
struct run_out {
    explicit run_out(input& in)
        : pool{in.below(pool_count)},
          after{in.below(4)},
          how{in.below(5)},
          count{in.few_of(700)} {}
    void perform(pool_state& s) const {
        if (s.is_full()) {
            return;
        }
        const std::size_t n = std::min(count, most_bytes / 4 / pools[pool].bytes) + 1;
        std::vector<void*> got;
        {
            const failing_scope failing{after};
            bool failed = false;
            try {
                if (how == 0) {
                    got.resize(n);
                    pools[pool].allocate_n(got);
                } else if (how == 1) {
                    pools[pool].reserve(n);
                } else {
                    got.reserve(n);
                    while (got.size() != n && !failed) {
                        void* p = pools[pool].allocate(how == 2);
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
            expect(!failed || failing.refused() || s.refuses(pool, n),
                   "a failure that neither the system nor the limit caused");
            expect(failed || !s.refuses(pool, n), "more objects than the limit allows");
        }
        operations_performed += got.size();
        for (void* p : got) {
            s.add(pool, p);
        }
        s.check(pool);
    }
    std::size_t pool;
    std::size_t after;
    std::size_t how;
    std::size_t count;
};

struct verify_all {
    explicit verify_all(input&) {}
    void perform(pool_state& s) const { s.shadow.verify_all(); }
};

using pool_operations =
    operations<pool_state, often<allocate, 16>, often<deallocate, 16>, allocate_many,
               often<deallocate_many, 2>, reserve, trim, look, visit_live, throw_in_constructor, run_out,
               often<elsewhere<pool_state>, 2>, end_thread<pool_state>, verify_all>;

void run_some(pool_state& state, input& in, std::size_t n) {
    for (; n != 0 && !in.empty(); --n) {
        pool_operations::one(state, in);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    pool_state state;
    state.rest = &in;
    pool_operations::all(state, in);
    state.finish();
    return 0;
}
