// SPDX-License-Identifier: Apache-2.0
// The limit of a recycler without its type: who waits is served in order, by whatever comes back, on whichever thread and
// through whichever cache; nobody is forgotten, and nobody waits for longer than said.
#include "unit.hpp"

#include <linn/detail/core/nanoseconds.hpp>
#include <linn/detail/sync/recycler_core.hpp>

namespace sync_recycler_waiting_tests {

using linn::detail::parking;
using linn::detail::platform;
using linn::detail::recycled_slot;
using linn::detail::recycled_state;
using offer = linn::detail::recycler_offer;
using slot = recycled_slot<platform>;

constexpr std::uint64_t long_ns = 10'000'000'000;

class core final : public linn::detail::recycler_core<platform> {
public:
    core(std::size_t capacity, std::size_t limit, bool asymmetric)
        : recycler_core{{.capacity = capacity, .limit = limit, .asymmetric = asymmetric}} {
        ++alive;
    }
    ~core() override { --alive; }

    slot* make() {
        count_new();
        return new slot{this, recycled_state::kept};
    }
    /// Null when there is none until then.
    slot* take(std::uint64_t until = linn::detail::whenever) {
        slot* s = nullptr;
        if (try_take(s)) {
            return s;
        }
        const offer what = take_slow(s, until);
        return what == offer::object ? s : what == offer::place ? make() : nullptr;
    }
    void await_waiters(std::size_t n) const {
        while (counts().waiting != n) {
            std::this_thread::yield();
        }
    }

    static inline std::atomic<int> alive{0};

private:
    void dispose(slot* s) noexcept override { delete s; }
};

template <class Body>
void with_each_lock(Body body) {
    body(false);
    if (linn::detail::enable_thread_barrier()) {
        body(true);
    }
    CHECK(core::alive == 0);
}

TEST_CASE("recycler_core: at the limit nothing is made") {
    with_each_lock([](bool asymmetric) {
        core* c = new core{100, 3, asymmetric};
        slot* const a = c->take();
        slot* const b = c->take();
        CHECK(c->try_take_place());
        CHECK(!c->try_take_place());
        CHECK(c->take(linn::detail::at_once) == nullptr);
        c->give_up_place();
        slot* const d = c->take();
        REQUIRE(d != nullptr);
        CHECK(c->take(linn::detail::at_once) == nullptr);
        c->destroy(b); // as one for which reset throws
        slot* const e = c->take(linn::detail::at_once);
        REQUIRE(e != nullptr);
        CHECK(c->counts().created == 4);
        c->put(a);
        c->put(d);
        CHECK(c->trim() == 2);
        CHECK(c->try_take_place());
        CHECK(c->try_take_place());
        CHECK(!c->try_take_place());
        c->give_up_place();
        c->give_up_place();
        CHECK(c->counts().slot_count == 1);
        c->put(e);
        c->close();
    });
}

TEST_CASE("recycler_core: a wait ends at its time, and leaves nothing behind") {
    with_each_lock([](bool asymmetric) {
        core* c = new core{100, 1, asymmetric};
        slot* const only = c->take();
        const auto begin = std::chrono::steady_clock::now();
        CHECK(c->take(parking::moment_in(20'000'000)) == nullptr);
        CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds{20});
        CHECK(c->take(1) == nullptr); // a moment that is over
        CHECK(c->counts().waiting == 0);
        CHECK(c->counts().slot_count == 1);
        c->put(only); // nobody is there to get it
        CHECK(c->idle() == 1);
        CHECK(c->take(linn::detail::at_once) == only);
        c->put(only);
        c->close();
    });
}

TEST_CASE("recycler_core: a thread that caches gives what it releases to one that waits") {
    with_each_lock([](bool asymmetric) {
        core* c = new core{100, 2, asymmetric};
        slot* const a = c->take();
        slot* const b = c->take();
        c->put(a); // from here on this thread has an open cache
        c->put(b);
        CHECK(c->take() == b);
        CHECK(c->take() == a);
        std::atomic<slot*> got{nullptr};
        std::thread other{[&] { got = c->take(parking::moment_in(long_ns)); }};
        c->await_waiters(1);
        c->put(b);
        other.join();
        CHECK(got == b);
        c->put(a);
        c->put(b);
        CHECK(c->idle() == 2);
        c->close();
    });
}

TEST_CASE("recycler_core: a thread that gave up waiting does not cache while others wait") {
    with_each_lock([](bool asymmetric) {
        core* c = new core{100, 2, asymmetric};
        slot* const a = c->take();
        slot* const b = c->take();
        c->put(a);
        CHECK(c->take() == a); // an open cache
        std::atomic<slot*> got{nullptr};
        std::thread other{[&] { got = c->take(parking::moment_in(long_ns)); }};
        c->await_waiters(1);
        CHECK(c->take(parking::moment_in(1'000'000)) == nullptr); // behind the other one
        c->put(a);
        other.join();
        CHECK(got == a);
        c->put(a);
        c->put(b);
        c->close();
    });
}

TEST_CASE("recycler_core: threads are served in the order in which they came, whatever the capacity") {
    with_each_lock([](bool asymmetric) {
        for (const std::size_t capacity : {std::size_t{0}, std::size_t{100}}) {
            core* c = new core{capacity, 3, asymmetric};
            std::vector<slot*> out{c->take(), c->take(), c->take()};
            std::vector<slot*> got(5);
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < 5; ++i) {
                threads.emplace_back(
                    [&, i] { got[i] = c->take(i == 3 ? parking::moment_in(1) : linn::detail::whenever); });
                if (i == 3) {
                    threads.back().join(); // out of the middle
                } else {
                    c->await_waiters(i < 3 ? i + 1 : 4);
                }
            }
            for (slot* s : out) {
                c->put(s);
            }
            for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
                threads[i].join();
                CHECK(got[i] == out[i]);
            }
            CHECK(got[3] == nullptr);
            c->await_waiters(1);
            CHECK(c->put_for_all(out[1]));
            threads[4].join();
            CHECK(got[4] == out[1]);
            for (slot* s : out) {
                c->put(s);
            }
            CHECK(c->idle() == (capacity < 3 ? capacity : 3));
            c->close();
        }
    });
}

TEST_CASE("recycler_core: the place of an object that is gone goes to the thread that waits") {
    with_each_lock([](bool asymmetric) {
        core* c = new core{100, 1, asymmetric};
        slot* const first = c->take();
        slot* second = nullptr;
        std::thread other{[&] { second = c->take(parking::moment_in(long_ns)); }};
        c->await_waiters(1);
        c->destroy(first);
        other.join();
        REQUIRE(second != nullptr);
        CHECK(c->counts().created == 2);
        CHECK(!c->try_take_place());
        // One that could not be made.
        std::thread third{[&] {
            slot* s = nullptr;
            CHECK(c->take_slow(s, parking::moment_in(long_ns)) == offer::place);
            c->give_up_place();
        }};
        c->await_waiters(1);
        c->destroy(second);
        third.join();
        CHECK(c->counts().slot_count == 0);
        CHECK(c->try_take_place());
        c->give_up_place();
        c->close();
    });
}

TEST_CASE("recycler_core: the end of the recycler is the end of waiting") {
    with_each_lock([](bool asymmetric) {
        core* c = new core{100, 1, asymmetric};
        slot* const only = c->take();
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < 3; ++i) {
            threads.emplace_back([&, i] {
                CHECK(c->take(i == 1 ? parking::moment_in(long_ns) : linn::detail::whenever) == nullptr);
            });
        }
        c->await_waiters(3);
        c->close();
        for (std::thread& t : threads) {
            t.join();
        }
        CHECK(core::alive == 1);
        c->put(only);
    });
}

TEST_CASE("recycler_core: many threads share a few, and none is forgotten") {
    with_each_lock([](bool asymmetric) {
        constexpr int threads = 6;
        core* c = new core{100, 2, asymmetric};
        std::atomic<int> out{0};
        std::atomic<int> too_many{0};
        std::vector<std::thread> all;
        for (int t = 0; t < threads; ++t) {
            all.emplace_back([&, t] {
                for (int i = 0; i < 500; ++i) {
                    slot* s = i % 5 == t % 5 ? c->take(parking::moment_in(20'000)) : c->take();
                    if (s == nullptr) {
                        continue;
                    }
                    too_many += ++out > 2 ? 1 : 0;
                    if (i % 3 == 0) {
                        std::this_thread::yield();
                    }
                    --out;
                    if (i % 50 == 7) {
                        c->destroy(s);
                    } else {
                        c->put(s);
                    }
                }
            });
        }
        for (std::thread& t : all) {
            t.join();
        }
        CHECK(too_many == 0);
        CHECK(c->counts().waiting == 0);
        CHECK(c->counts().slot_count <= 2);
        CHECK(c->counts().idle == c->counts().slot_count);
        c->trim();
        CHECK(c->try_take_place());
        CHECK(c->try_take_place());
        CHECK(!c->try_take_place());
        c->give_up_place();
        c->give_up_place();
        c->close();
    });
}

/// A thread that sleeps wakes when its time is over, and by then has an answer that it has not seen.
struct late_platform : platform {
    struct parking : linn::detail::parking {
        static inline void (*meanwhile)() = nullptr;
        static bool sleep(std::atomic<std::uint32_t>&, std::uint32_t, std::uint64_t) noexcept {
            meanwhile();
            return false;
        }
    };
};

struct late_core final : linn::detail::recycler_core<late_platform> {
    late_core() : recycler_core{{.capacity = 10, .limit = 1}} {}
    void dispose(slot* s) noexcept override { delete s; }
};

TEST_CASE("recycler_core: an answer that comes as the time ends is taken") {
    static late_core* c = nullptr;
    c = new late_core;
    REQUIRE(c->try_take_place());
    late_platform::parking::meanwhile = [] { c->give_up_place(); };
    late_core::slot* s = nullptr;
    CHECK(c->take_slow(s, long_ns) == offer::place);
    c->count_new();
    c->put(new late_core::slot{c, recycled_state::kept});
    REQUIRE(c->take_slow(s, linn::detail::at_once) == offer::object);
    static late_core::slot* kept = nullptr;
    kept = s;
    late_platform::parking::meanwhile = [] { c->put(kept); };
    CHECK(c->take_slow(s, long_ns) == offer::object);
    CHECK(s == kept);
    c->destroy(s);
    CHECK(c->try_take_place()); // no place was lost
    c->give_up_place();
    c->close();
}

} // namespace sync_recycler_waiting_tests
