// SPDX-License-Identifier: Apache-2.0
// Promise: linn::make_shared makes what std::make_shared makes, in one slot of a pool that goes back when
// the last pointer of either kind is gone, on whatever thread.
#include "unit.hpp"

#include <linn/memory.hpp>
#include <linn/statistics.hpp>

namespace memory_tests {

struct plain {
    int a = 1;
    int b = 2;
};

struct counted {
    static inline int alive = 0;
    static inline int fail_at = -1;
    static inline std::string order;
    int number = 0;

    counted() {
        if (alive == fail_at) {
            throw std::runtime_error{"no more"};
        }
        number = alive++;
    }
    explicit counted(int n) : counted{} { number = n; }
    counted(const counted& other) : counted{other.number} {}
    counted& operator=(const counted&) = delete;
    ~counted() {
        --alive;
        order += std::to_string(number);
    }
};

struct failing {
    explicit failing(bool fail) {
        if (fail) {
            throw std::runtime_error{"no"};
        }
    }
    failing() { throw std::runtime_error{"never"}; }
    char data[100] = {};
};

struct self : std::enable_shared_from_this<self> {
    int value = 5;
};

template <std::size_t Align>
struct alignas(Align) aligned {
    unsigned char data[3] = {1, 2, 3};
};

struct tricky {
    int value = 3;
    tricky* operator&() = delete;
    const tricky* operator&() const = delete;
    static void* operator new(std::size_t) = delete;
    static void* operator new(std::size_t, void*) = delete;
    static void operator delete(void*) = delete;
};

struct base {
    virtual ~base() = default;
    virtual int id() const { return 0; }
};
struct derived : base {
    int id() const override { return 7; }
    std::string text = "a text that does not fit into the string itself";
};

struct move_only {
    explicit move_only(std::unique_ptr<int> v) : value{std::move(v)} {}
    std::unique_ptr<int> value;
};

struct aggregate {
    int a;
    std::string b;
};

struct tuned {
    char data[20];
};

} // namespace memory_tests

template <>
inline constexpr linn::pool_options linn::default_options<memory_tests::tuned>{.cache_line_padding = true};

namespace memory_tests {

using linn_test::pooling;

/// The pool that statistics list under this name; a name that ends like it is enough, since compilers
/// differ in how they write namespaces.
linn::pool_statistics named(std::string_view name) {
    for (const linn::pool_statistics& s : linn::statistics()) {
        if (s.type == name) {
            return s;
        }
    }
    return {};
}

std::size_t live(std::string_view name) {
    return named(name).live;
}

static_assert(std::is_empty_v<linn::detail::shared_allocator<int, int>>);
static_assert(std::is_same_v<decltype(linn::make_shared<int>(1)), std::shared_ptr<int>>);
static_assert(std::is_same_v<decltype(linn::make_shared<const int>(1)), std::shared_ptr<const int>>);
static_assert(std::is_same_v<decltype(linn::make_shared<int[3]>()), std::shared_ptr<int[3]>>);
static_assert(std::is_same_v<decltype(linn::make_shared<int[]>(3)), std::shared_ptr<int[]>>);

TEST_CASE("make_shared: the slot goes back, whichever way the object began") {
    {
        const auto a = linn::make_shared<plain>();
        const auto b = linn::make_shared_for_overwrite<plain>();
        const auto c = linn::make_shared<plain>(plain{3, 4});
        const auto d = linn::make_shared<plain>(linn::value_initialize);
        const auto e = linn::make_shared<const plain>();
        CHECK(a->b == 2);
        CHECK(b->b == 2);
        CHECK(c->b == 4);
        CHECK(d->b == 2);
        CHECK(e->b == 2);
        // One pool for all of them, also for the const one.
        CHECK(live("make_shared<memory_tests::plain>") == 5);
    }
    CHECK(live("make_shared<memory_tests::plain>") == 0);
}

TEST_CASE("make_shared: arguments are forwarded, aggregates take them in parentheses") {
    const auto m = linn::make_shared<move_only>(std::make_unique<int>(4));
    CHECK(*m->value == 4);
    const auto a = linn::make_shared<aggregate>(1, "one");
    CHECK(a->b == "one");
    const std::shared_ptr<base> b = linn::make_shared<derived>();
    CHECK(b->id() == 7);
    CHECK(std::dynamic_pointer_cast<derived>(b) != nullptr);
    const auto t = linn::make_shared<tricky>();
    CHECK(t->value == 3);
    const auto o = linn::make_shared_for_overwrite<tricky>();
    CHECK(o->value == 3);
    const auto zero = linn::make_shared<int>();
    CHECK(*zero == 0);
    const auto pointer = linn::make_shared<int plain::*>();
    CHECK(*pointer == nullptr); // not all bits zero
}

TEST_CASE("make_shared: object and control block take little more than the object") {
    const auto p = linn::make_shared<plain>();
    const linn::pool_statistics s = named("make_shared<memory_tests::plain>");
#if defined(__GLIBCXX__)
    CHECK(s.object_bytes == sizeof(plain) + sizeof(void*) + 2 * sizeof(int));
#else
    CHECK(s.object_bytes <= sizeof(plain) + 24);
#endif
}

TEST_CASE("make_shared: a constructor that throws gives the slot back") {
    constexpr std::string_view name = "make_shared<memory_tests::failing>";
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared<failing>(true)), std::runtime_error);
    CHECK(named(name).peak > 0); // it did take one
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared<failing>()), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared_for_overwrite<failing>()), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared_for_overwrite<failing[3]>()), std::runtime_error);
    CHECK(live(name) == 0);
    CHECK(live("make_shared<memory_tests::failing[3]>") == 0);
    const auto p = linn::make_shared<failing>(false);
    CHECK(live(name) == 1);
}

TEST_CASE("make_shared: a weak_ptr keeps the slot, not the object, also from another thread") {
    constexpr std::string_view name = "make_shared<memory_tests::counted>";
    REQUIRE(counted::alive == 0);
    std::weak_ptr<counted> watch;
    std::thread{[&] {
        const auto p = linn::make_shared<counted>();
        watch = p;
        CHECK(watch.lock() == p);
    }}.join(); // object and maker are gone
    CHECK(counted::alive == 0);
    CHECK(watch.expired());
    CHECK(watch.lock() == nullptr);
    CHECK(live(name) == 1);
    std::thread{[last = std::move(watch)]() mutable { last.reset(); }}.join();
    CHECK(live(name) == 0);
}

template <std::size_t Align>
void check_alignment() {
    CAPTURE(Align);
    std::vector<std::shared_ptr<aligned<Align>>> single;
    std::vector<std::shared_ptr<aligned<Align>[2]>> arrays;
    bool right = true;
    for (int i = 0; i != 40; ++i) {
        single.push_back(i % 2 == 0 ? linn::make_shared<aligned<Align>>()
                                    : linn::make_shared_for_overwrite<aligned<Align>>());
        arrays.push_back(linn::make_shared<aligned<Align>[2]>(linn::value_initialize));
        right = right && reinterpret_cast<std::uintptr_t>(single.back().get()) % Align == 0;
        right = right && reinterpret_cast<std::uintptr_t>(arrays.back().get()) % Align == 0;
        right = right && single.back()->data[2] == 3 && arrays.back()[1].data[2] == 3;
    }
    CHECK(right);
    const auto many = linn::make_shared_for_overwrite<aligned<Align>[]>(5);
    CHECK(reinterpret_cast<std::uintptr_t>(many.get()) % Align == 0);
    auto unique = linn::make_unique<aligned<Align>>(linn::value_initialize);
    CHECK(reinterpret_cast<std::uintptr_t>(unique.get()) % Align == 0);
}

TEST_CASE("make_shared: over-aligned types") {
    check_alignment<1>();
    check_alignment<64>();
    check_alignment<4096>();
}

TEST_CASE("make_shared: arrays of known bound lie in a pool, and begin as asked") {
    const auto zero = linn::make_shared<int[5]>();
    CHECK(std::all_of(zero.get(), zero.get() + 5, [](int i) { return i == 0; }));
    const auto sevens = linn::make_shared<int[5]>(7);
    CHECK(std::all_of(sevens.get(), sevens.get() + 5, [](int i) { return i == 7; }));
    const auto none = linn::make_shared_for_overwrite<int[5]>();
    none[4] = 1;
    CHECK(live("make_shared<int[5]>") == 3);
    const auto strings = linn::make_shared<const std::string[3]>("x");
    CHECK(strings[2] == "x");
    const auto matrix = linn::make_shared<int[2][3]>({4, 5, 6});
    CHECK(matrix[0][2] == 6);
    CHECK(matrix[1][0] == 4);
    CHECK(live("make_shared<int[2][3]>") == 1);
    const auto words = linn::make_shared<std::string[2][2]>();
    CHECK(words[1][1].empty());
}

TEST_CASE("make_shared: elements go in reverse order, also when one fails to begin") {
    counted::order.clear();
    {
        const auto p = linn::make_shared<counted[3]>();
    }
    CHECK(counted::order == "210");
    CHECK(counted::alive == 0);

    counted::order.clear();
    counted::fail_at = 2;
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared<counted[3]>()), std::runtime_error);
    CHECK(counted::order == "10");
    counted::order.clear();
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared_for_overwrite<counted[3]>()), std::runtime_error);
    CHECK(counted::order == "10");
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared<counted[]>(3)), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(linn::make_shared_for_overwrite<counted[]>(3)), std::runtime_error);
    counted::fail_at = -1;
    {
        const counted model{9};
        counted::fail_at = 3;
        CHECK_THROWS_AS(static_cast<void>(linn::make_shared<counted[3]>(model)), std::runtime_error);
        counted::fail_at = -1;
    }
    CHECK(counted::alive == 0);
    CHECK(live("make_shared<memory_tests::counted[3]>") == 0);
}

TEST_CASE("make_shared: arrays of run-time length") {
    const auto zero = linn::make_shared<int[]>(100);
    CHECK(std::all_of(zero.get(), zero.get() + 100, [](int i) { return i == 0; }));
    const auto ones = linn::make_shared<int[]>(100, 1);
    CHECK(ones[99] == 1);
    const auto explicitly = linn::make_shared<int[]>(100, linn::value_initialize);
    CHECK(explicitly[99] == 0);
    const auto strings = linn::make_shared_for_overwrite<std::string[]>(10);
    CHECK(strings[9].empty());
    const auto empty = linn::make_shared<std::string[]>(0);
    CHECK(empty.use_count() == 1);
    const auto rows = linn::make_shared<int[][4]>(3);
    CHECK(rows[2][3] == 0);
    // libc++ 19 allocates too few bytes for some of these; AddressSanitizer notices.
    for (std::size_t n = 1; n != 9; ++n) {
        const auto odd = linn::make_shared<std::array<char, 6>[]>(n, {1, 2, 3, 4, 5, 6});
        CHECK(odd[static_cast<std::ptrdiff_t>(n) - 1][5] == 6);
    }
}

TEST_CASE("make_shared: a length that overflows is refused") {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    using refused = std::bad_array_new_length;
    for (const std::size_t n : {most, most / 2, most / sizeof(int), most / sizeof(int) / 2}) {
        CAPTURE(n);
        CHECK_THROWS_AS(static_cast<void>(linn::make_shared<int[]>(n)), refused);
        CHECK_THROWS_AS(static_cast<void>(linn::make_shared<int[]>(n, 3)), refused);
        CHECK_THROWS_AS(static_cast<void>(linn::make_shared<int[]>(n, linn::value_initialize)), refused);
        CHECK_THROWS_AS(static_cast<void>(linn::make_shared_for_overwrite<int[]>(n)), refused);
        CHECK_THROWS_AS(static_cast<void>(linn::make_unique<std::uint64_t[]>(n)), refused);
        CHECK_THROWS_AS(static_cast<void>(linn::make_unique_for_overwrite<std::uint64_t[]>(n)), refused);
    }
}

TEST_CASE("make_shared: the pool has the options of the type") {
    const auto p = linn::make_shared_for_overwrite<tuned>();
    const linn::pool_statistics s = named("make_shared<memory_tests::tuned>");
    CHECK(s.live == 1);
    CHECK(s.slot_bytes % 64 == 0);
    CHECK(s.object_bytes < s.slot_bytes);
}

TEST_CASE("make_shared: objects that share themselves, and what is too large for a slab") {
    const auto p = linn::make_shared<self>();
    CHECK(p->shared_from_this() == p);
    const auto q = linn::make_shared_for_overwrite<self>();
    CHECK(q->weak_from_this().lock() == q);
    struct huge {
        char data[(std::size_t{1} << 30) + 1];
    };
    // Fails where there is no address space; either way it compiles, and no pool has it.
    try {
        linn::make_shared_for_overwrite<huge>()->data[0] = 1;
    } catch (const std::bad_alloc&) {
    }
    for (const linn::pool_statistics& s : linn::statistics()) {
        CHECK(s.object_bytes < (std::size_t{1} << 30));
    }
}

TEST_CASE("make_unique: an object of pool<T>") {
    static_assert(sizeof(linn::unique_ptr<derived>) == sizeof(derived*));
    static_assert(std::is_same_v<linn::unique_ptr<int[]>, std::unique_ptr<int[]>>);
    {
        auto p = linn::make_unique<derived>();
        CHECK(linn::pool<derived>::statistics().live == 1);
        CHECK((!pooling() || linn::pool<derived>::owns(p.get())));
        // The deleter goes along, so the right pool gets it.
        std::shared_ptr<base> s = std::move(p);
        CHECK(s->id() == 7);
        CHECK(linn::pool<derived>::statistics().live == 1);
        s.reset();
        CHECK(linn::pool<derived>::statistics().live == 0);
        derived* raw = linn::make_unique<derived>(linn::value_initialize).release();
        linn::pool<derived>::destroy(raw);
    }
    CHECK(linn::pool<derived>::statistics().live == 0);
    auto t = linn::make_unique<tricky>();
    CHECK(t->value == 3);
    auto o = linn::make_unique_for_overwrite<tricky>();
    CHECK(o->value == 3);
    auto c = linn::make_unique<const std::string>("const");
    CHECK(*c == "const");
    linn::unique_ptr<const plain> converted = linn::make_unique<plain>(plain{1, 5});
    CHECK(converted->b == 5);
    converted.reset();
    CHECK(linn::pool<plain>::statistics().live == 0);
    auto zero = linn::make_unique<int>();
    CHECK(*zero == 0);
    std::thread{[p = linn::make_unique<plain>()]() mutable { p.reset(); }}.join();
    CHECK(linn::pool<plain>::statistics().live == 0);
}

TEST_CASE("make_unique: a constructor that throws gives the slot back") {
    CHECK_THROWS_AS(static_cast<void>(linn::make_unique<failing>(true)), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(linn::make_unique<failing>()), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(linn::make_unique_for_overwrite<failing>()), std::runtime_error);
    CHECK(linn::pool<failing>::statistics().peak > 0);
    CHECK(linn::pool<failing>::statistics().live == 0);
}

TEST_CASE("make_shared: arrays of const and volatile elements, which libstdc++ 12 refuses for T[]") {
    auto values = linn::make_shared<const int[]>(3, 8);
    CHECK(values[2] == 8);
    auto rows = linn::make_shared<const int[][2]>(2, {1, 2});
    CHECK(rows[1][1] == 2);
    auto zeros = linn::make_shared<const volatile int[]>(3);
    CHECK(zeros[2] == 0);
    auto strings = linn::make_shared<const std::string[]>(2, linn::value_initialize);
    CHECK(strings[1].empty());
    auto raw = linn::make_shared_for_overwrite<volatile int[]>(3);
    raw[2] = 1;
    CHECK(raw[2] == 1);
    CHECK(linn::make_shared<const int[2]>(4)[1] == 4);
}

TEST_CASE("make_unique: arrays are those of new[]") {
    auto zero = linn::make_unique<int[]>(10);
    CHECK(zero[9] == 0);
    auto strings = linn::make_unique_for_overwrite<std::string[]>(3);
    CHECK(strings[2].empty());
    auto none = linn::make_unique<int[]>(0);
    CHECK(none != nullptr);
    auto explicitly = linn::make_unique<int[]>(4, linn::value_initialize);
    CHECK(explicitly[3] == 0);
}

} // namespace memory_tests
