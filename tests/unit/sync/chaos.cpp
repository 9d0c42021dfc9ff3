// SPDX-License-Identifier: Apache-2.0
// Four threads on one depot whose lock and atomics stumble. Each object carries a cookie that says
// whether somebody has it: an object that is handed out twice is noticed at once.
#include "chaos_policy.hpp"
#include "test_policy.hpp"
#include "unit.hpp"

namespace sync_chaos_tests {

using linn_test::chaos_policy;
using fixture = linn_test::depot_fixture<chaos_policy>;
using front = fixture::front_type;
using linn_test::put;
using linn_test::random_source;
using linn_test::take;

constexpr std::size_t thread_count = 4;

struct object {
    std::uint64_t taken; ///< 0 while it is free: fresh and returned pages read as zero
};

class player {
public:
    player(fixture& x, std::vector<std::atomic<object*>>& exchange, std::atomic<int>& errors,
           std::size_t number)
        : x_{x},
          exchange_{exchange},
          errors_{errors},
          number_{number},
          random_{number * 77 + 1} {}

    void play(int steps) {
        x_.depot.attach(front_, number_ + 1);
        for (int step = 0; step < steps; ++step) {
            move();
        }
        for (object* o : mine_) {
            drop(o);
        }
        mine_.clear();
        x_.depot.detach(front_);
    }

private:
    void move() {
        const std::size_t dice = random_.below(1000);
        if (dice < 480) {
            pick_up();
        } else if (dice < 800) {
            if (!mine_.empty()) {
                drop(remove_any());
            }
        } else if (dice < 980) {
            // Objects change hands, so that most are freed where they were not allocated.
            object* given = mine_.empty() ? nullptr : remove_any();
            object* got = exchange_[random_.below(exchange_.size())].exchange(given);
            if (got != nullptr) {
                mine_.push_back(got);
            }
        } else if (dice < 985) {
            x_.depot.trim(&front_);
        } else if (dice < 990) {
            const auto s = x_.depot.statistics();
            errors_ += s.live > 100'000 || s.cached > 100'000 ? 1 : 0;
        } else if (dice < 995) {
            x_.depot.detach(front_);
            x_.depot.attach(front_, number_ + 1);
        } else {
            void* p = x_.depot.take_one();
            x_.depot.put_one(p);
        }
    }

    void pick_up() {
        auto* o = static_cast<object*>(take(x_.depot, front_));
        if (o == nullptr || o->taken != 0) {
            ++errors_;
            return;
        }
        o->taken = number_ + 1;
        mine_.push_back(o);
    }
    void drop(object* o) {
        errors_ += o->taken == 0 ? 1 : 0;
        o->taken = 0;
        put(x_.depot, front_, o);
    }
    object* remove_any() {
        const std::size_t i = random_.below(mine_.size());
        object* o = mine_[i];
        mine_[i] = mine_.back();
        mine_.pop_back();
        return o;
    }

    fixture& x_;
    std::vector<std::atomic<object*>>& exchange_;
    std::atomic<int>& errors_;
    std::size_t number_;
    random_source random_;
    front front_;
    std::vector<object*> mine_;
};

TEST_CASE("chaos: no object is handed out twice, none is lost") {
    // Slabs of a few objects, none retained: they become empty, go back and are reused all the time.
    auto g = linn::detail::make_geometry(64, 8, {.slab_bytes = 1 << 13, .magazine_slots = 4});
    fixture x{g};
    std::vector<std::atomic<object*>> exchange(64);
    std::atomic<int> errors{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < thread_count; ++t) {
        threads.emplace_back([&, t] { player{x, exchange, errors, t}.play(15'000); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    CHECK(errors == 0);
    std::size_t left = 0;
    for (auto& place : exchange) {
        if (object* o = place.load()) {
            CHECK(o->taken != 0);
            o->taken = 0;
            x.depot.put_one(o);
            ++left;
        }
    }
    CHECK(left > 0);
    CHECK(x.depot.statistics().live == 0);
    CHECK(x.depot.statistics().threads == 0);
    x.depot.trim(nullptr);
    CHECK(x.depot.statistics().cached == 0);
    CHECK(x.depot.consistent());
}

TEST_CASE("chaos: many threads make the same depot once") {
    for (int round = 0; round < 20; ++round) {
        linn::detail::registry<chaos_policy> registry;
        linn::detail::registry<chaos_policy>::slot_type slot{nullptr};
        const linn::detail::pool_description d{
            .sizes = linn_test::small_geometry(), .object_bytes = 64, .object_align = 8, .type = "made once"};
        std::vector<linn::detail::depot<chaos_policy>*> seen(thread_count);
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < thread_count; ++t) {
            threads.emplace_back([&, t] { seen[t] = registry.depot_in(slot, d); });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        REQUIRE(seen[0] != nullptr);
        for (const auto* each : seen) {
            CHECK(each == seen[0]);
        }
        CHECK(registry.newest() == seen[0]);
        CHECK(seen[0]->older == nullptr);
    }
}

// For ThreadSanitizer: the other thread has no lock in common with the one that made the depot.
TEST_CASE("registry: a depot that another thread finds is whole") {
    struct tag {};
    using registry = linn::detail::registry<linn_test::test_policy<tag>>;
    registry r;
    registry::slot_type slot{nullptr};
    const linn::detail::pool_description d{
        .sizes = linn_test::small_geometry(), .object_bytes = 64, .object_align = 8, .type = "found"};
    std::thread finder{[&] {
        linn_test::wait_until([&] { return slot.load(std::memory_order_relaxed) != nullptr; });
        const auto* found = r.depot_in(slot, d);
        CHECK(found->name() == "found");
        CHECK(found->sizes() == linn_test::small_geometry());
    }};
    CHECK(r.depot_in(slot, d) != nullptr);
    finder.join();
}

} // namespace sync_chaos_tests
