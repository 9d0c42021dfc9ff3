// SPDX-License-Identifier: Apache-2.0
// What keeps idle objects and buffers, without a type: order, end, and the limit. At the limit threads wait, and are served in
// order, from every cache.
#include "unit.hpp"

#include <linn/detail/sync/idle_core.hpp>

namespace sync_idle_core_tests {

using linn::detail::parking;
using linn::detail::platform;
using offer = linn::detail::idle_offer;
using slot = linn::detail::idle_item;

constexpr std::uint64_t long_ns = 10'000'000'000;

class core final : public linn::detail::recycler_core<platform> {
public:
    explicit core(std::size_t capacity, std::size_t limit = 0) : recycler_core{capacity, limit} { ++alive; }
    ~core() override { --alive; }

    slot* make() { return new slot{this}; }
    /// Null when there is none until then.
    slot* take(std::uint64_t until = linn::detail::whenever) {
        slot* s = nullptr;
        if (try_take(s)) {
            return s;
        }
        const offer what = take_slow(s, until);
        return what == offer::item ? s : what == offer::place ? make() : nullptr;
    }
    void await_waiters(std::size_t n) const {
        linn_test::wait_until([&] { return counts().waiting == n; });
    }

    static inline std::atomic<int> alive{0};
    std::atomic<std::size_t> disposed{0};

private:
    void dispose(slot* s) noexcept override {
        ++disposed;
        delete s;
    }
};

TEST_CASE("idle_core: after a steal threads share the depot for a while") {
    if (!linn::detail::enable_thread_barrier()) {
        return; // `try_take` does not show who caches
    }
    core* c = new core{1000};
    c->put(c->take()); // in the cache of this thread
    constexpr int shared = linn::detail::shared_after_steal<platform>;
    for (int turn = 0; turn != 3; ++turn) {
        const std::size_t steals = c->counts().steals;
        std::thread{[&] { c->put(c->take()); }}.join();
        CHECK(c->counts().steals == steals + 1);
        int calls = 1;
        for (slot* s = nullptr; calls < 2 * shared; calls += 2) {
            if (c->try_take(s)) {
                c->put(s);
                break;
            }
            c->put(c->take());
        }
        CHECK(calls >= shared);
        CHECK(calls <= shared + 4);
    }
    CHECK(c->counts().created == 1);
    c->close();
    CHECK(core::alive == 0);
}

TEST_CASE("idle_core: a thread that gave up waiting does not cache while others wait") {
    core* c = new core{100, 2};
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
    CHECK(core::alive == 0);
}

TEST_CASE("idle_core: waiting threads are served in order at every capacity") {
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{100}}) {
        core* c = new core{capacity, 3};
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
        CHECK(c->counts().idle == (capacity < 3 ? capacity : 3));
        c->close();
    }
    CHECK(core::alive == 0);
}

} // namespace sync_idle_core_tests
