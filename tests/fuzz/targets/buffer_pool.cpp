// SPDX-License-Identifier: Apache-2.0
// linn::buffer_pool, several pools that come and go while their buffers are out: no two buffers overlap, each is aligned
// and keeps what was written, the one that came back last goes out first, limits hold, and the counts are those of a model.
#include "../support/expect.hpp"
#include "../support/failing_memory.hpp"
#include "../support/operations.hpp"
#include "../support/shadow_memory.hpp"

#include <linn/buffer_pool.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace linn_fuzz;

constexpr std::size_t pool_count = 3;
constexpr std::size_t most_out = 40;

/// A pool and what it should be.
struct pool_model {
    std::optional<linn::buffer_pool> pool;
    std::size_t bytes = 0;
    std::size_t retain = 0; ///< buffers
    std::size_t most = 0;   ///< buffers; 0: no limit
    std::size_t live = 0;
    std::size_t peak = 0;
    std::size_t acquired = 0;
    std::size_t mappings = 0;
    std::size_t returned = 0;
    std::vector<std::byte*> idle; ///< the last one goes out first
    std::size_t generation = 0;   ///< buffers of earlier ones belong to no pool
};

/// A buffer that is out, by whatever kind of owner.
struct holder {
    linn::buffer unique;
    std::shared_ptr<std::byte[]> shared;
    std::weak_ptr<std::byte[]> weak;
    std::size_t pool = 0;
    std::size_t generation = 0;

    [[nodiscard]] std::byte* data() const { return unique ? unique.data() : shared.get(); }
};

struct buffer_state {
    std::array<pool_model, pool_count> models;
    std::vector<holder> out;
    std::vector<std::weak_ptr<std::byte[]>> observers;
    shadow_memory shadow;

    void make(std::size_t i, std::size_t kind) {
        pool_model& m = models[i];
        const std::size_t page = 4096;
        const std::size_t sizes[] = {1, 5000, 65536, 70000};
        linn::buffer_options o;
        m.bytes = sizes[kind % 4];
        const std::size_t capacity = (m.bytes + page - 1) / page * page;
        o.alignment = kind / 4 % 2 != 0 ? std::size_t{1} << 16 : 0;
        m.retain = std::array<std::size_t, 4>{0, 1, 3, 100}[kind / 8 % 4];
        m.most = std::array<std::size_t, 4>{0, 0, 2, 6}[kind / 32 % 4];
        const std::size_t part = capacity - 1; // of a buffer: is none
        o.retain_bytes =
            m.retain <= 1 ? m.retain : m.retain * capacity + part; // but less than one buffer is one
        o.max_bytes = m.most == 0 ? 0 : m.most * capacity + part;
        o.prefault = kind / 128 % 2 != 0;
        m.pool.emplace(m.bytes, o);
        expect_equal(m.pool->capacity(), capacity, "the capacity");
        m.live = m.peak = m.acquired = m.mappings = m.returned = 0;
        m.idle.clear();
        ++m.generation;
    }

    /// A buffer has been acquired.
    holder& add(std::size_t i, linn::buffer b) {
        pool_model& m = models[i];
        expect(b && b.size() == m.bytes && b.capacity() == m.pool->capacity(), "the size of a buffer");
        if (m.idle.empty()) {
            ++m.mappings;
        } else {
            expect(b.data() == m.idle.back(), "the buffer that came back last goes out first");
            m.idle.pop_back();
        }
        ++m.acquired;
        m.peak = std::max(m.peak, ++m.live);
        shadow.add(b.data(), b.capacity(), m.pool->alignment(), i);
        holder h;
        h.unique = std::move(b);
        h.pool = i;
        h.generation = m.generation;
        return out.emplace_back(std::move(h));
    }

    /// The buffer at `data`, of the pool `i` as it was then, has come back.
    void returned(std::size_t i, std::size_t generation, std::byte* data) {
        pool_model& m = models[i];
        if (m.generation != generation) {
            return; // its pool is gone
        }
        --m.live;
        if (m.idle.size() < m.retain) {
            m.idle.push_back(data);
        } else {
            ++m.returned;
        }
    }

    void forget(std::byte* data) {
        for (std::size_t k = 0; k != shadow.size(); ++k) {
            if (shadow.blocks()[k].data == data) {
                shadow.remove(k);
                return;
            }
        }
        expect(false, "a buffer that the shadow does not know");
    }

    void check(std::size_t i) const {
        const pool_model& m = models[i];
        const linn::buffer_statistics s = m.pool->statistics();
        expect_equal(s.live, m.live, "buffers out");
        expect_equal(s.peak, m.peak, "the peak");
        expect_equal(s.cached, m.idle.size(), "idle buffers");
        expect_equal(s.slabs, m.live + m.idle.size(), "buffers mapped");
        expect_equal(s.acquired, m.acquired, "buffers acquired");
        expect_equal(s.mappings, m.mappings, "buffers taken from the system");
        expect_equal(s.returned_bytes, m.returned * m.pool->capacity(), "bytes given back");
        expect(m.most == 0 || s.slabs <= m.most, "more buffers than max_bytes allows");
    }

    [[nodiscard]] bool at_limit(const pool_model& m) const {
        return m.idle.empty() && m.most != 0 && m.live == m.most;
    }
};

void acquire(buffer_state& s, input& in) {
    const std::size_t pool = in.below(pool_count);
    const std::size_t how = in.below(4);
    const bool fails = in.below(8) == 0;
    pool_model& m = s.models[pool];
    if (s.out.size() == most_out) {
        return;
    }
    const bool none = s.at_limit(m) || (fails && m.idle.empty());
    linn::buffer b;
    bool threw = false;
    {
        std::optional<failing_scope> failing;
        if (fails) {
            failing.emplace(0);
        }
        try {
            b = how < 2 ? m.pool->acquire() : m.pool->try_acquire();
        } catch (const std::bad_alloc&) {
            threw = true;
        }
    }
    expect(!b == none, "a buffer exactly when there is one");
    expect(threw == (none && how < 2), "bad_alloc exactly where it is promised");
    if (b) {
        s.add(pool, std::move(b));
    }
    s.check(pool);
}

void give_back(buffer_state& s, input& in) {
    const std::size_t which = in.below(256);
    const std::size_t how = in.below(3);
    if (s.out.empty()) {
        return;
    }
    std::swap(s.out[which % s.out.size()], s.out.back());
    holder h = std::move(s.out.back());
    s.out.pop_back();
    std::byte* data = h.data();
    const std::size_t pool = h.pool;
    const std::size_t generation = h.generation;
    s.forget(data);
    if (h.shared != nullptr && how == 0) {
        std::shared_ptr<std::byte[]> other = h.shared;
        h.shared.reset();
        expect(other.use_count() == 1 && !h.weak.expired(), "a shared buffer lives with its last owner");
    }
    const std::weak_ptr<std::byte[]> weak = h.weak;
    if (how == 1 && h.unique) {
        h.unique.reset();
        h.unique.reset(); // does no harm
    }
    if (how == 2 && h.unique) {
        linn::buffer other;
        other.swap(h.unique);
        h.unique = std::move(other);
    }
    h = holder{};
    expect(weak.expired(), "a weak_ptr to a buffer that is back");
    s.returned(pool, generation, data);
    s.check(pool);
}

void share(buffer_state& s, input& in) {
    const std::size_t which = in.below(256);
    if (s.out.empty()) {
        return;
    }
    holder& h = s.out[which % s.out.size()];
    if (h.unique) {
        std::byte* data = h.unique.data();
        h.shared = std::move(h.unique).share();
        expect(!h.unique && h.shared.get() == data, "a buffer changes its kind of owner");
        h.weak = h.shared;
    } else {
        expect(linn::buffer{}.share() == nullptr, "nothing is shared as null");
    }
    s.shadow.verify_all();
}

void trim(buffer_state& s, input& in) {
    const std::size_t pool = in.below(pool_count);
    pool_model& m = s.models[pool];
    expect_equal(m.pool->trim(), m.idle.size() * m.pool->capacity(), "bytes of a trim");
    m.returned += m.idle.size();
    m.idle.clear();
    s.check(pool);
}

void reserve(buffer_state& s, input& in) {
    const std::size_t pool = in.below(pool_count);
    const std::size_t count = in.below(8);
    pool_model& m = s.models[pool];
    bool threw = false;
    try {
        m.pool->reserve(count);
    } catch (const std::bad_alloc&) {
        threw = true;
    }
    const std::size_t room = m.most == 0 ? SIZE_MAX : m.most - m.live;
    expect(threw == (count > m.idle.size() && count > room), "a reserve fails exactly at the limit");
    m.retain = std::max(m.retain, count);
    const std::size_t goal = std::min(count, room);
    if (goal > m.idle.size()) {
        m.mappings += goal - m.idle.size();
        // Where the new ones are is seen when they go out: take all, and give them back in their order.
        std::vector<linn::buffer> all;
        while (all.size() != goal) {
            all.push_back(m.pool->acquire());
        }
        m.acquired += goal;
        m.peak = std::max(m.peak, m.live + goal);
        m.idle.clear();
        for (; !all.empty(); all.pop_back()) {
            m.idle.push_back(all.back().data());
        }
    }
    s.check(pool);
}

/// The pool goes, its buffers stay.
void renew(buffer_state& s, input& in) {
    const std::size_t pool = in.below(pool_count);
    const std::size_t kind = in.below(256);
    s.make(pool, kind);
    s.check(pool);
    s.shadow.verify_all();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    buffer_state state;
    for (std::size_t i = 0; i != pool_count; ++i) {
        state.make(i, in.below(256));
    }
    static constexpr operation<buffer_state> all[] = {{&acquire, 8}, {&give_back, 7}, {&share, 2},
                                                      {&trim},       {&reserve},      {&renew}};
    perform_all(all, state, in);
    state.shadow.verify_all();
    for (std::size_t i = 0; i < pool_count; i += 2) {
        state.models[i].pool.reset(); // some before their buffers, some after
    }
    return 0;
}
