// SPDX-License-Identifier: Apache-2.0
// What a recycler does for one thread: objects stay constructed, a bounded number of them, and none is
// lost, whatever throws.
#include "misuse_recorder.hpp"
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
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
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

TEST_CASE("recycler: releasing twice and releasing a stranger is reported and ignored") {
    linn_test::misuse_recorder recorder;
    using number = std::pair<int, int>;
    linn::recycler<number> numbers;
    const auto other = numbers.acquire(); // so that the memory stays
    number* p = numbers.acquire().release();
    linn::recycler<number>::recycle(p);
    linn::recycler<number>::recycle(p);
    auto seen = recorder.take();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == linn::misuse_kind::double_free);
    CHECK(seen[0].type.starts_with("recycler<"));
    CHECK(seen[0].address == p);
    CHECK(numbers.idle() == 1);

    const auto shared = numbers.acquire_shared();
    linn::recycler<number>::recycle(shared.get());
    seen = recorder.take();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == linn::misuse_kind::double_free);

    number strangers[20] = {};
    linn::recycler<number>::recycle(&strangers[19]);
    seen = recorder.take();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == linn::misuse_kind::foreign_pointer);
    CHECK(numbers.live() == 2);
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
    CHECK(s.threads == 1);
    bool found = false;
    for (const linn::pool_statistics& pool : linn::statistics()) {
        found = found || (pool.type.starts_with("recycler<") && pool.type.ends_with("named>"));
    }
    CHECK(found);
}

} // namespace recycler_tests
