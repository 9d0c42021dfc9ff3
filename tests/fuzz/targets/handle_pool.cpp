// SPDX-License-Identifier: Apache-2.0
// linn::handle_pool, of some types and divisions of bits, against a list of what was made: every handle that was ever made
// finds its object while that lives and nothing afterwards; no handle is made twice; iteration visits the living in
// order of their indices; refused memory and constructors that throw change nothing.
#include "../support/expect.hpp"
#include "../support/failing_memory.hpp"
#include "../support/operations.hpp"
#include "../support/throwing_object.hpp"

#include <linn/handle_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <vector>

namespace {

using namespace linn_fuzz;

constexpr std::size_t most_objects = 5000;

/// A pool, the handles of what lives in it, and those of what does not any more.
template <class T, linn::handle_options O>
struct handle_state {
    using object_type = T;
    using pool_type = linn::handle_pool<T, O>;
    using handle = typename pool_type::handle;
    struct living {
        handle name;
        T* object;
        unsigned char content;
    };

    std::optional<pool_type> pool{std::in_place};
    std::vector<living> alive;
    std::vector<handle> stale;
    std::set<handle> made;
    unsigned char next_content = 1;

    void add(handle h) {
        expect(static_cast<bool>(h), "a null handle of a new object");
        expect(made.insert(h).second, "a handle is made twice");
        T* p = pool->get(h);
        expect(p != nullptr, "a new object is not found");
        expect(reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0, "a misaligned object");
        expect(pool->handle_of(*p) == h, "an object with another handle");
        std::memset(static_cast<void*>(p->bytes), next_content, sizeof p->bytes);
        alive.push_back({h, p, next_content++});
    }
    void verify(const living& l) {
        expect(pool->get(l.name) == l.object, "an object moved, or is not found");
        expect(l.object->bytes[0] == l.content && l.object->bytes[sizeof l.object->bytes - 1] == l.content,
               "an object changed");
    }
    handle remove(std::size_t which) {
        const std::size_t n = alive.size();
        const std::size_t i = which % 4 == 0 ? n - 1 : which / 4 % n;
        verify(alive[i]);
        const handle h = alive[i].name;
        alive[i] = alive.back();
        alive.pop_back();
        stale.push_back(h);
        return h;
    }
    void all_are_stale() {
        for (const living& l : alive) {
            stale.push_back(l.name);
        }
        alive.clear();
    }
    void check() {
        expect_equal(pool->size(), alive.size(), "objects");
        const linn::pool_statistics s = pool->statistics();
        expect_equal(s.live, alive.size(), "live objects of the statistics");
        expect(pool->capacity() >= alive.size(), "more objects than handles");
        expect(s.resident_bytes <= s.reserved_bytes, "more resident than reserved");
    }
    void verify_all() {
        for (const living& l : alive) {
            verify(l);
        }
        for (const handle h : stale) {
            expect(pool->get(h) == nullptr, "a stale handle finds an object");
        }
        check();
    }
};

template <class State>
void create(State& s, input& in) {
    in.byte(); // kept inputs have one here
    if (s.alive.size() >= most_objects) {
        return;
    }
    const auto h = s.pool->try_create();
    if (h) {
        s.add(h);
    } else {
        expect_equal(s.pool->capacity(), s.alive.size(), "handles left of a pool that is full");
    }
}

template <class State>
void destroy(State& s, input& in) {
    const std::size_t which = in.below(1 << 16);
    if (!s.alive.empty()) {
        expect(s.pool->destroy(s.remove(which)), "destroying a living object");
    }
}

template <class State>
void destroy_stale(State& s, input& in) {
    const std::size_t which = in.below(1 << 16);
    if (!s.stale.empty()) {
        const auto h = s.stale[which % s.stale.size()];
        expect(!s.pool->contains(h) && !s.pool->destroy(h), "destroying what is gone");
        s.check();
    }
}

template <class State>
void find_any(State& s, input& in) {
    const std::size_t value = in.below(1 << 24) * 251;
    using handle = typename State::handle;
    const auto h = handle::from_value(static_cast<typename handle::value_type>(value));
    const bool lives =
        std::any_of(s.alive.begin(), s.alive.end(), [&](const auto& l) { return l.name == h; });
    expect(s.pool->contains(h) == lives, "a number that is no handle finds an object, or one is not found");
}

template <class State>
void visit(State& s, input& in) {
    const std::size_t destroys = in.below(3);
    using object = typename State::object_type;
    std::map<std::size_t, const object*> wanted; // by index
    for (const auto& l : s.alive) {
        wanted[l.name.value() & ((std::size_t{1} << State::pool_type::options.index_bits) - 1)] = l.object;
    }
    auto next = wanted.begin();
    s.pool->for_each([&](typename State::handle h, object& o) {
        expect(s.pool->get(h) == &o, "for_each gives another handle");
        expect(next != wanted.end() && next++->second == &o,
               "iteration visits what is not alive, or in another order");
        if (destroys == 1) {
            expect(s.pool->destroy(h), "destroying while iterating");
        }
    });
    expect(next == wanted.end(), "iteration does not visit all that is alive");
    if (destroys == 1) {
        s.all_are_stale();
    } else if (destroys == 2) {
        s.pool->clear();
        s.all_are_stale();
    }
    s.check();
}

template <class State>
void reserve(State& s, input& in) {
    const std::size_t count = in.below(800);
    const std::size_t goal = s.alive.size() + count;
    if (goal > most_objects || goal > s.pool->capacity()) {
        return;
    }
    s.pool->reserve(goal);
    s.check();
    const failing_scope failing{0}; // what was reserved is there although the system has no more
    operations_performed += count;
    for (std::size_t i = 0; i != count; ++i) {
        s.add(s.pool->create());
    }
}

template <class State>
void run_out(State& s, input& in) {
    const std::size_t after = in.below(3);
    const std::size_t count = 1 + in.few_of(500);
    const bool reserves = in.below(2) == 0;
    if (s.alive.size() + count > most_objects) {
        return;
    }
    std::vector<typename State::handle> got;
    got.reserve(count);
    {
        const failing_scope failing{after};
        bool failed = false;
        try {
            if (reserves) {
                s.pool->reserve(s.alive.size() + count);
            }
            while (got.size() != count) {
                got.push_back(s.pool->create());
            }
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        expect(!failed || failing.refused() || s.pool->capacity() < s.alive.size() + count,
               "a failure that neither the system nor a lack of handles caused");
    }
    operations_performed += got.size();
    for (const auto h : got) {
        s.add(h);
    }
    s.check();
}

template <class State>
void throw_in_constructor(State& s, input&) {
    bool thrown = false;
    try {
        static_cast<void>(s.pool->create(true));
    } catch (const refused_object&) {
        thrown = true;
    } catch (const std::bad_alloc&) {
        thrown = true; // there was no room for it
    }
    expect(thrown, "the constructor's exception arrives");
    s.check();
}

template <class State>
void trim(State& s, input&) {
    static_cast<void>(s.pool->trim());
    expect_equal(s.pool->trim(), 0, "bytes of a second trim");
    s.verify_all();
}

template <class State>
void renew(State& s, input&) {
    s.verify_all();
    s.pool.reset();
    s.pool.emplace();
    s.alive.clear();
    s.stale.clear();
    s.made.clear();
    s.check();
}

template <class State>
void verify_all(State& s, input&) {
    s.verify_all();
}

template <class T, linn::handle_options O = linn::handle_options{}>
void fuzz(input& in) {
    using state = handle_state<T, O>;
    state s;
    static constexpr operation<state> all[] = {
        {&create, 24}, {&destroy, 20}, {&destroy_stale, 4}, {&find_any, 4},
        {&visit, 2},   {&reserve},     {&run_out},          {&throw_in_constructor},
        {&trim},       {&renew},       {&verify_all}};
    perform_all(all, s, in);
    s.verify_all();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    switch (in.below(4)) {
    case 0:
        fuzz<object<24, 8>>(in);
        break;
    case 1: // indices are retired soon
        fuzz<object<3, 1>, linn::handle_options{.index_bits = 6, .generation_bits = 3}>(in);
        break;
    case 2:
        fuzz<object<320, 64>,
             linn::handle_options{.index_bits = 10, .generation_bits = 32, .slab_bytes = 1 << 13}>(in);
        break;
    default:
        fuzz<object<4096, 4096>, linn::handle_options{.slab_bytes = 1 << 16}>(in);
    }
    return 0;
}
