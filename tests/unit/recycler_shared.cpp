// SPDX-License-Identifier: Apache-2.0
// acquire_shared: a control block inside the slot, which nobody may reuse while a weak_ptr looks at it.
// Breaks when the slot returns with the last shared_ptr instead of the last weak_ptr (ASan, TSan and the
// checks below see the block overwritten), and when an object that shares itself keeps its own
// control block alive, so that its slot never returns.
#include "unit.hpp"

#include <linn/recycler.hpp>

namespace recycler_shared_tests {

struct message {
    std::vector<int> body;
    int number = 0;
};

using message_body = linn::detail::recycler_body<message, linn::pool<linn::detail::recycler_slot<message>>>;

TEST_CASE("recycler: acquire_shared allocates nothing once objects exist") {
    linn::recycler<message> all{10};
    const message* address = all.acquire_shared().get();
    const std::size_t from_pool = linn::pool<linn::detail::recycler_slot<message>>::statistics().live;
    for (int i = 0; i < 100; ++i) {
        std::shared_ptr<message> m = all.acquire_shared();
        CHECK(m.get() == address);
        CHECK(m.use_count() == 1);
        const std::shared_ptr<message> copy = m;
        const std::shared_ptr<std::vector<int>> part{m, &m->body};
        m.reset();
        CHECK(copy.use_count() == 2);
        CHECK(all.live() == 1);
    }
    CHECK(all.statistics().created == 1);
    CHECK(linn::pool<linn::detail::recycler_slot<message>>::statistics().live == from_pool);
    using block = linn::detail::control_block_allocator<char[48], message_body>;
    static_assert(block::fits);
}

TEST_CASE("recycler: lock() races with the last release on another thread") {
    linn::recycler<message> all{{.capacity = 4, .reset = [](message& m) { m.number = -1; }}};
    std::atomic<int> locked{0};
    std::atomic<int> round{0};
    std::weak_ptr<message> offered;
    std::atomic<int> taken{0};
    constexpr int rounds = 2000;
    std::thread other{[&] {
        for (int i = 1; i <= rounds; ++i) {
            linn_test::wait_until([&] { return round.load() == i; });
            std::weak_ptr<message> mine = std::move(offered);
            taken = i;
            for (int k = 0; k < 3; ++k) {
                if (const std::shared_ptr<message> m = mine.lock()) {
                    locked += m->number == i ? 1 : 1'000'000; // never one that is reset or reused
                }
            }
        }
    }};
    for (int i = 1; i <= rounds; ++i) {
        std::shared_ptr<message> m = all.acquire_shared();
        m->number = i;
        offered = m;
        round = i;
        linn_test::wait_until([&] { return taken.load() == i; });
        m.reset();
        const auto next = all.acquire(); // must not be what the other thread still looks at
        next->number = -2;
    }
    other.join();
    CHECK(locked < 1'000'000);
    CHECK(all.live() == 0);
    CHECK(all.idle() <= 4);
}

struct session : std::enable_shared_from_this<session> {
    int number = 0;
};
struct base : std::enable_shared_from_this<base> {
    virtual ~base() = default;
    int before = 1;
};
struct derived : private std::vector<int>, public base {
    int after = 2;
};
struct hidden : private std::enable_shared_from_this<hidden> {
    int number = 0;
};

template <class T>
void shares_itself_again() {
    linn::recycler<T> all{10};
    const T* address = nullptr;
    for (int i = 0; i < 20; ++i) {
        std::shared_ptr<T> s = all.acquire_shared();
        CHECK((address == nullptr || s.get() == address));
        address = s.get();
        {
            const auto self = s->shared_from_this();
            CHECK(self.get() == s.get());
            CHECK(s.use_count() == 2);
        }
        const auto observer = s->weak_from_this();
        CHECK(!observer.expired());
        s.reset();
        CHECK(observer.expired());
        CHECK(all.live() == 1);
    }
    CHECK(all.idle() == 1);
    {
        const auto plain = all.acquire(); // owned by no shared_ptr
        CHECK(plain->weak_from_this().expired());
        CHECK_THROWS_AS(plain->shared_from_this(), std::bad_weak_ptr);
    }
    {
        const std::shared_ptr<T> converted = all.acquire(); // by a control block of the library
        CHECK(converted->shared_from_this() == converted);
    }
    CHECK(all.acquire_shared()->shared_from_this().get() == address);
    CHECK(all.idle() == 1);
    CHECK(all.statistics().created == 1);
}

TEST_CASE("recycler: objects that share themselves do so again at each use, and come back") {
    static_assert(linn::detail::shares_itself<session>);
    static_assert(linn::detail::shares_itself<derived>);
    static_assert(!linn::detail::shares_itself<hidden>);
    static_assert(!linn::detail::shares_itself<message>);
    shares_itself_again<session>();
    shares_itself_again<derived>();
    linn::recycler<hidden> all;
    all.acquire_shared().reset();
    CHECK(all.idle() == 1);
}

TEST_CASE("recycler: a weak_ptr that an object hands out of itself may outlive object and recycler") {
    std::weak_ptr<session> from_handle;
    std::weak_ptr<session> from_shared;
    {
        linn::recycler<session> all{1};
        from_handle = all.acquire()->weak_from_this();
        from_shared = all.acquire_shared()->weak_from_this();
        CHECK(all.live() == 1);
        all.acquire_shared().reset();
        CHECK(all.idle() == 1);
    }
    CHECK(from_handle.expired());
    CHECK(from_shared.expired());
    CHECK(from_shared.lock() == nullptr);
}

/// A control block that is too large for the slot, as another standard library might have.
struct large_block {
    std::shared_ptr<message> owner;
    char bytes[200];
};

TEST_CASE("recycler: a control block that does not fit comes from operator new") {
    using allocator = linn::detail::control_block_allocator<large_block, message_body>;
    static_assert(!allocator::fits);
    static_assert(!linn::detail::control_block_allocator<std::max_align_t[16], message_body>::fits);
    linn::recycler<message> all{10};
    message* m = all.acquire().release();
    auto* slot = linn::detail::recycler_slot<message>::of(m);
    allocator a{slot};
    large_block* block = a.allocate(1);
    CHECK((reinterpret_cast<std::byte*>(block) < slot->head.block ||
           reinterpret_cast<std::byte*>(block) >= slot->object + sizeof(message)));
    CHECK(a == linn::detail::control_block_allocator<char, message_body>{a});
    message_body::release_object(m);
    CHECK(all.idle() == 0);
    a.deallocate(block, 1);
    CHECK(all.idle() == 1);
}

} // namespace recycler_shared_tests
