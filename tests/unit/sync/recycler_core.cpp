// SPDX-License-Identifier: Apache-2.0
// The part of a recycler without a type: order, bound, end; each with fronts that threads enter by
// a barrier, and with those of systems that have none.
#include "unit.hpp"

#include <linn/detail/sync/recycler_core.hpp>

#include <deque>

namespace sync_recycler_core_tests {

using linn::detail::platform;
using linn::detail::recycled_slot;
using linn::detail::recycled_state;

/// Counts instead of destroying.
class core final : public linn::detail::recycler_core<platform> {
public:
    core(std::size_t capacity, bool asymmetric, std::atomic<int>& alive, std::size_t limit = 0)
        : recycler_core{{.capacity = capacity, .limit = limit, .asymmetric = asymmetric}},
          alive_{alive} {
        ++alive_;
    }
    ~core() override { --alive_; }

    slot* make() {
        count_new();
        return new slot{this, recycled_state::kept};
    }
    slot* take(std::uint64_t until = linn::detail::whenever) {
        slot* s = nullptr;
        if (try_take(s)) {
            return s;
        }
        switch (take_slow(s, until)) {
        case offer::object:
            return s;
        case offer::place:
            return make();
        default:
            return nullptr;
        }
    }

    std::atomic<std::size_t> disposed{0};

private:
    void dispose(slot* s) noexcept override {
        ++disposed;
        delete s;
    }
    std::atomic<int>& alive_;
};

/// The bodies run with each kind of lock that this system has.
template <class Body>
void with_each_lock(Body body) {
    body(false);
    if (linn::detail::enable_thread_barrier()) {
        body(true);
    }
}

TEST_CASE("recycler_core: with one thread exactly the smaller of capacity and released stays idle") {
    with_each_lock([](bool asymmetric) {
        std::atomic<int> alive{0};
        for (const std::size_t capacity : std::initializer_list<std::size_t>{0, 1, 2, 3, 4, 5, 7, 8, 31, 32,
                                                                             33, 127, 128, 129, 200, 1000}) {
            for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 4, 40, 301}) {
                core* c = new core{capacity, asymmetric, alive};
                std::vector<recycled_slot<platform>*> out;
                for (std::size_t i = 0; i < n; ++i) {
                    out.push_back(c->take());
                }
                for (auto* s : out) {
                    c->put(s);
                    REQUIRE(c->idle() <= capacity);
                }
                REQUIRE(c->idle() == std::min(capacity, n));
                REQUIRE(c->slot_count() == c->idle());
                REQUIRE(c->disposed == n - c->idle());
                c->close();
            }
        }
        CHECK(alive == 0);
    });
}

TEST_CASE("recycler_core: what came back last goes out first, through depot and front alike") {
    with_each_lock([](bool asymmetric) {
        std::atomic<int> alive{0};
        core* c = new core{500, asymmetric, alive};
        std::vector<recycled_slot<platform>*> out;
        for (int i = 0; i < 400; ++i) {
            out.push_back(c->take());
        }
        CHECK(c->created() == 400);
        for (auto* s : out) {
            c->put(s);
        }
        for (std::size_t i = out.size(); i != 0; --i) {
            REQUIRE(c->take() == out[i - 1]);
        }
        CHECK(c->created() == 400);
        for (auto* s : out) {
            c->put(s);
        }
        c->close();
        CHECK(alive == 0);
    });
}

TEST_CASE("recycler_core: a thread inherits what the threads before it cached") {
    with_each_lock([](bool asymmetric) {
        std::atomic<int> alive{0};
        core* c = new core{64, asymmetric, alive};
        for (int i = 0; i < 100; ++i) {
            std::thread{[&] {
                std::vector<recycled_slot<platform>*> out;
                for (int k = 0; k < 20; ++k) {
                    out.push_back(c->take());
                }
                for (auto* s : out) {
                    c->put(s);
                }
            }}.join();
        }
        CHECK(c->created() == 20);
        CHECK(c->idle() == 20);
        CHECK(c->threads() == 1);
        c->close();
        CHECK(alive == 0);
    });
}

TEST_CASE("recycler_core: many threads together never keep more than the capacity") {
    with_each_lock([](bool asymmetric) {
        for (const std::size_t capacity : std::initializer_list<std::size_t>{3, 10, 50, 300}) {
            std::atomic<int> alive{0};
            core* c = new core{capacity, asymmetric, alive};
            std::atomic<int> arrived{0};
            std::vector<std::thread> threads;
            for (int t = 0; t < 6; ++t) {
                threads.emplace_back([&] {
                    std::vector<recycled_slot<platform>*> out;
                    for (int i = 0; i < 100; ++i) {
                        out.push_back(c->take());
                    }
                    ++arrived;
                    while (arrived != 6) { // all hold theirs, none has a number to inherit
                        std::this_thread::yield();
                    }
                    for (auto* s : out) {
                        c->put(s);
                    }
                });
            }
            for (std::thread& t : threads) {
                t.join();
            }
            CHECK(c->idle() == capacity);
            CHECK(c->slot_count() == c->idle());
            c->close();
            CHECK(alive == 0);
        }
    });
}

TEST_CASE(
    "recycler_core: after a steal threads share the depot for a while, longer when one follows another") {
    if (!linn::detail::enable_thread_barrier()) {
        return; // `try_take` does not show who caches
    }
    std::atomic<int> alive{0};
    core* c = new core{1000, true, alive};
    c->put(c->take()); // in the cache of this thread
    for (const int shared : {64, 128, 256, 512, 512}) {
        const std::size_t steals = c->counts().steals;
        std::thread{[&] { c->put(c->take()); }}.join();
        CHECK(c->counts().steals == steals + 1);
        int calls = 1;
        for (recycled_slot<platform>* s = nullptr; calls < 2 * shared; calls += 2) {
            if (c->try_take(s)) {
                c->put(s);
                break;
            }
            c->put(c->take());
        }
        CHECK(calls >= shared);
        CHECK(calls <= shared + 4);
    }
    CHECK(c->created() == 1);
    c->close();
    CHECK(alive == 0);
}

TEST_CASE("recycler_core: it ends with the last slot, not before") {
    with_each_lock([](bool asymmetric) {
        std::atomic<int> alive{0};
        core* c = new core{100, asymmetric, alive};
        auto* first = c->take();
        auto* second = c->take();
        c->put(c->take());
        c->close();
        CHECK(alive == 1);
        CHECK(c->disposed == 1);
        std::thread{[&] { c->put(second); }}.join();
        CHECK(alive == 1);
        c->put(first);
        CHECK(alive == 0);
    });
}

TEST_CASE("recycler_core: trim takes from every thread, and they go on") {
    with_each_lock([](bool asymmetric) {
        std::atomic<int> alive{0};
        core* c = new core{1000, asymmetric, alive};
        std::atomic<bool> stop{false};
        std::vector<std::thread> threads;
        std::atomic<std::size_t> done{0};
        for (int t = 0; t < 2; ++t) {
            threads.emplace_back([&] {
                while (!stop) {
                    auto* a = c->take();
                    auto* b = c->take();
                    c->put(a);
                    c->put(b);
                    ++done;
                }
            });
        }
        std::size_t trimmed = 0;
        // One trim may find nothing: a thread can be off its processor with both objects in hand.
        while (trimmed < 60) {
            const std::size_t before = done;
            trimmed += c->trim();
            static_cast<void>(c->idle()); // any number, while they work
            while (done < before + 2) {
                std::this_thread::yield();
            }
        }
        stop = true;
        for (std::thread& t : threads) {
            t.join();
        }
        trimmed += c->trim();
        CHECK(trimmed == c->created());
        CHECK(c->disposed == trimmed);
        CHECK(c->idle() == 0);
        c->close();
        CHECK(alive == 0);
    });
}

TEST_CASE("recycler_core: closed while other threads put") {
    with_each_lock([](bool asymmetric) {
        std::atomic<int> alive{0};
        for (int round = 0; round < 60; ++round) {
            core* c = new core{64, asymmetric, alive};
            std::atomic<int> ready{0};
            std::vector<std::thread> threads;
            for (int t = 0; t < 2; ++t) {
                threads.emplace_back([&] {
                    std::deque<recycled_slot<platform>*> out;
                    for (int i = 0; i < 20; ++i) {
                        out.push_back(c->take());
                    }
                    ++ready;
                    for (auto* s : out) {
                        c->put(s);
                    }
                });
            }
            while (ready != 2) {
                std::this_thread::yield();
            }
            c->close();
            for (std::thread& t : threads) {
                t.join();
            }
        }
        CHECK(alive == 0);
    });
}

} // namespace sync_recycler_core_tests
