// SPDX-License-Identifier: Apache-2.0
// Promise: everything compiles and works with -fno-exceptions -fno-rtti; what cannot be had ends the program with the reason, as
// no code can catch it. A program without exceptions, RTTI and heap is what fixed_pool is for: it asks operator new for nothing.
//
// Breaks with a `throw`, `try`, `typeid` or `dynamic_cast` that is not guarded: a compile error. What
// compiles is also run, since without exceptions the paths differ.
#include "every_function.hpp"

#include <list>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error this test is about builds without exceptions and RTTI
#endif

static std::atomic<std::size_t> blocks{0};

// GCC inlines delete but not new, and then warns that free gets what came from new.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t bytes) {
    ++blocks;
    if (void* p = std::malloc(bytes != 0 ? bytes : 1)) {
        return p;
    }
    std::abort();
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

namespace {

struct item {
    explicit item(int n) : number{n} {} // may throw, as far as the compiler knows
    int number;
    char more[60];
};

template <class Body>
void ends(const char* text, Body body) {
    const auto child = linn_test::run_child(body);
    child.expect(child.killed_by(SIGABRT) && child.says(text), text);
}

struct packet {
    char bytes[1500];
};
struct may_throw { // as far as the compiler knows
    may_throw() {}
    explicit may_throw(int n) : number{n} {}
    int number = 1;
};

void pointers() {
    CHECK(linn::make_shared<may_throw>(3)->number == 3);
    CHECK(linn::make_shared_for_overwrite<may_throw[4]>()[3].number == 1);
    CHECK(linn::make_shared<std::string[3]>("x")[2] == "x");
    CHECK(linn::make_shared<int[]>(5)[4] == 0);
    CHECK(linn::make_shared_for_overwrite<may_throw[]>(5)[4].number == 1);
    CHECK(linn::make_unique<may_throw>(4)->number == 4);
    CHECK(linn::make_unique_for_overwrite<may_throw>()->number == 1);
    CHECK(linn::make_unique<int[]>(5)[4] == 0);
    CHECK(linn::make_shared<packet>(linn::value_initialize)->bytes[1499] == 0);
    CHECK(linn::value_initialization_fill<packet>() == sizeof(packet));
}

void resources() {
    linn::pool_resource r;
    linn::pool_resource over{{.slab_bytes = 4096}, &r};
    over.deallocate(over.allocate(100'000, 64), 100'000, 64);
    over.deallocate(over.allocate(100), 100);
    CHECK(r.is_equal(r) && !r.is_equal(over));
    over.release();
    r.release();
    ends("", [&] { static_cast<void>(r.allocate(SIZE_MAX / 2, 16)); });
}

void recyclers() {
    linn::recycler<item> all{{.capacity = 8,
                              .prefill = 2,
                              .create = [] { return item{7}; },
                              .reset = [](item& i) { i.number = 8; }}};
    CHECK(all.idle() == 2);
    CHECK(all.acquire()->number == 7);
    CHECK(all.acquire_shared()->number == 8);
}

struct line {
    char data[100000];
    int size = 3;
};

void buffers() {
    linn::buffer_pool pool{sizeof(line), {.prefault = true, .max_bytes = 300000}};
    pool.reserve(1);
    linn::buffer b = pool.acquire();
    b.span().back() = std::byte{1};
    const auto shared = std::move(b).share();
    const auto object = pool.make_shared_for_overwrite<line>();
    CHECK(object->size == 3);
    CHECK(pool.statistics().live == 2);
    CHECK(!pool.try_acquire());
    pool.trim();
    ends("buffers of 0 bytes", [] { linn::buffer_pool none{0}; });
    ends("not a power of two", [] { linn::buffer_pool odd{1, {.alignment = 3}}; });
    ends("larger than the address space", [] { linn::buffer_pool vast{SIZE_MAX}; });
    ends("does not fit", [] {
        linn::buffer_pool small{1};
        static_cast<void>(small.make_shared_for_overwrite<line>());
    });
}

void handles() {
    linn::handle_pool<item, {.index_bits = 2, .generation_bits = 3}> items;
    for (int i = 0; i != 4; ++i) {
        static_cast<void>(items.create(i));
    }
    CHECK(!items.try_create(8));
    ends("", [&] { static_cast<void>(items.create(1)); });
    items.clear();

    using slots = linn::fixed_pool<linn::node_slot<std::list<int>>, 2>;
    slots memory;
    {
        std::list<int, linn::local_allocator<int, slots, void>> list{memory};
        list.push_back(1);
        list.push_back(2);
        CHECK(memory.full());
        ends("", [&] { list.push_back(3); });
    }
}

constinit linn::fixed_pool<item, 4> items;
constinit linn::fixed_pool<item, 0> nothing;

void without_heap() {
    const std::size_t before = blocks;
    item* all[4];
    CHECK(items.try_allocate_n(all));
    CHECK(items.full() && items.try_create(1) == nullptr && items.try_allocate() == nullptr);
    CHECK(!items.try_allocate_n({all, 1}));
    items.deallocate_n(all);
    item* one = items.create(5);
    CHECK(one->number == 5 && items.live() == 1);
    items.for_each_live([](item& s) { s.number = 6; });
    CHECK(one->number == 6);
    items.destroy(one);
    items.allocate_n(all);
    items.release();
    CHECK(items.empty() && items.statistics().peak == 4);
    CHECK(nothing.try_create(1) == nullptr);
    CHECK(blocks == before);
    ends("", [] { static_cast<void>(nothing.create(1)); });
}

} // namespace

int main() {
    for (const linn_test::every_function::entry& e : linn_test::every_function::entries) {
        e.call();
    }
    ends("", [] { linn::pool<item>::reserve(SIZE_MAX); });
    pointers();
    resources();
    recyclers();
    buffers();
    handles();
    without_heap();
}
