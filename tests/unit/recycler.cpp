// SPDX-License-Identifier: Apache-2.0
// What a recycler does for one thread: objects stay constructed, a bounded number of them, and none is
// lost, whatever throws.
#include "unit.hpp"

#include <linn/recycler.hpp>
#include <linn/statistics.hpp>

namespace recycler_tests {

struct counts {
    int made = 0;
    int destroyed = 0;
    int reset = 0;
};

/// Counts into `seen`, one of each test.
template <class Tag>
struct counted {
    static inline counts seen{};
    counted() { ++seen.made; }
    ~counted() { ++seen.destroyed; }
    std::vector<int> values;
    std::string text;
};

template <class T>
std::size_t in_pool() {
    return linn::pool<linn::detail::recycler_slot<T>>::statistics().live;
}

TEST_CASE("recycler: the handle is a unique_ptr of one pointer, and converts to shared_ptr") {
    using packet = counted<struct handle_tag>;
    using packets_type = linn::recycler<packet>;
    static_assert(sizeof(packets_type::handle) == sizeof(void*));
    static_assert(std::is_nothrow_move_constructible_v<packets_type::handle>);
    static_assert(!std::is_copy_constructible_v<packets_type> && !std::is_move_constructible_v<packets_type>);
    static_assert(std::is_same_v<packets_type::value_type, packet>);
    static_assert(noexcept(std::declval<packets_type&>().try_acquire()));
    static_assert(noexcept(packets_type::recycle(nullptr)));
    packets_type packets;
    CHECK(std::as_const(packets).capacity() == 1024);
    std::shared_ptr<packet> shared = packets.acquire();
    const std::weak_ptr<packet> weak = shared;
    CHECK(std::as_const(packets).live() == 1);
    shared.reset();
    CHECK(weak.expired());
    CHECK(std::as_const(packets).idle() == 1);
    packets_type::recycle(packets.acquire().release());
    packets_type::recycle(nullptr);
    CHECK(packets.idle() == 1);
    CHECK(std::as_const(packets).statistics().created == 1);
    CHECK(packet::seen.made == 1);
}

TEST_CASE("recycler: create makes objects in place, also those that cannot be copied or moved") {
    struct pinned {
        explicit pinned(int n) : number{n} {}
        pinned(const pinned&) = delete;
        pinned& operator=(const pinned&) = delete;
        int number;
    };
    static_assert(!std::is_constructible_v<linn::recycler<pinned>>);
    static_assert(!std::is_constructible_v<linn::recycler<pinned>, std::size_t>);
    int next = 0;
    linn::recycler<pinned> all{{.create = [&next] { return pinned{++next}; }}};
    const auto first = all.acquire();
    const auto second = all.acquire_shared();
    CHECK(first->number == 1);
    CHECK(second->number == 2);
    CHECK_THROWS_AS(linn::recycler<pinned>{linn::recycler_options<pinned>{}}, std::bad_function_call);
    CHECK(in_pool<pinned>() == 2);
}

TEST_CASE("recycler: without create an object is default-initialised: nothing is filled") {
    struct raw {
        unsigned char bytes[256];
    };
    using memory = linn::pool<linn::detail::recycler_slot<raw>>;
    auto* slot = memory::allocate();
    std::memset(static_cast<void*>(slot), 0x5a, sizeof *slot);
    __asm__ volatile("" : : "r"(slot) : "memory");
    memory::deallocate(slot);
    linn::recycler<raw> all;
    const auto p = all.acquire();
    if (static_cast<void*>(p.get()) == static_cast<void*>(slot->object) && !linn::detail::checked_build) {
        __asm__ volatile("" : : "r"(p.get()) : "memory");
        CHECK(p->bytes[0] == 0x5a);
        CHECK(p->bytes[255] == 0x5a);
    }
}

TEST_CASE("recycler: reset and destructors may use the recycler") {
    struct node {
        linn::recycler<node>::handle next;
    };
    linn::recycler<node>* again = nullptr;
    int resets = 0;
    linn::recycler<node> nodes{{.capacity = 8, .reset = [&](node& n) {
                                    const bool outermost = ++resets == 1;
                                    n.next.reset(); // releases to the same recycler
                                    if (outermost) {
                                        again->acquire().reset();
                                    }
                                }}};
    again = &nodes;
    auto first = nodes.acquire();
    first->next = nodes.acquire();
    first->next->next = nodes.acquire();
    first.reset();
    CHECK(resets == 4);
    CHECK(nodes.live() == 0);
    linn::recycler<node> keeping{0}; // destroys instead: the destructor releases the next one
    auto chain = keeping.acquire();
    chain->next = keeping.acquire();
    chain.reset();
    CHECK(keeping.live() == 0);
    CHECK(in_pool<node>() == nodes.idle());
}

TEST_CASE("recycler: over-aligned objects") {
    struct alignas(256) wide {
        char bytes[300];
    };
    linn::recycler<wide> wides;
    for (int i = 0; i < 3; ++i) {
        const auto a = wides.acquire();
        const auto b = wides.acquire_shared();
        CHECK(reinterpret_cast<std::uintptr_t>(a.get()) % 256 == 0);
        CHECK(reinterpret_cast<std::uintptr_t>(b.get()) % 256 == 0);
    }
    CHECK(wides.idle() == 2);
}

struct named {
    char bytes[40];
};

TEST_CASE("recycler: statistics name the type") {
    linn::recycler<named> all{{.capacity = 50, .prefill = 2}};
    const auto p = all.acquire();
    const linn::recycler_statistics s = all.statistics();
    CHECK(s.type.ends_with("named"));
    CHECK(s.object_bytes == 40);
    CHECK(s.slot_bytes >= 40 + 64);
    CHECK(s.capacity == 50);
    CHECK(s.idle == 1);
    CHECK(s.live == 1);
    CHECK(s.created == 2);
    CHECK(s.threads == (linn::detail::thread_locals_last ? 1 : 0));
    bool found = false;
    for (const linn::pool_statistics& pool : linn::statistics()) {
        found = found || (pool.type.starts_with("recycler<") && pool.type.ends_with("named>"));
    }
    CHECK(found);
}

// acquire_shared: a control block inside the slot, which may not be reused while a weak_ptr looks at it. Breaks when the slot returns
// with the last shared_ptr instead of the last weak_ptr, and when an object that shares itself keeps its own control block alive.
struct message {
    std::vector<int> body;
    int number = 0;
};

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

TEST_CASE("recycler: the slot of an object that reset threw on waits for the last weak_ptr") {
    linn::recycler<message> all{{.limit = 1, .reset = [](message&) { throw std::runtime_error{"no"}; }}};
    std::shared_ptr<message> shared = all.acquire_shared();
    const message* address = shared.get();
    std::weak_ptr<message> weak = shared;
    const std::size_t slots = linn::pool<linn::detail::recycler_slot<message>>::statistics().live;
    shared.reset();
    CHECK(all.live() == 1);
    {
        const auto next = all.acquire(); // the object is gone, so there may be another
        CHECK(next.get() != address);
        CHECK(weak.lock() == nullptr);
        CHECK(linn::pool<linn::detail::recycler_slot<message>>::statistics().live == slots + 1);
        weak.reset();
        CHECK(linn::pool<linn::detail::recycler_slot<message>>::statistics().live == slots);
    }
    CHECK(all.live() == 0);
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

} // namespace recycler_tests
