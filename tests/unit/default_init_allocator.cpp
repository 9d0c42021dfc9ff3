// SPDX-License-Identifier: Apache-2.0
// Containers with linn::default_init_allocator write nothing where an element is made from nothing, and are as ever in all
// else. Without that, `vector(n)` fills what its owner overwrites.
#include "unit.hpp"

#include <linn/default_init_allocator.hpp>

namespace default_init_allocator_tests {

/// Memory that is full of one byte, so that what nobody writes shows.
template <class T>
struct marked {
    using value_type = T;
    int* live = nullptr;

    marked() = default;
    explicit marked(int& count) : live{&count} {}
    template <class U>
    marked(const marked<U>& other) : live{other.live} {}

    T* allocate(std::size_t n) {
        T* const p = std::allocator<T>{}.allocate(n);
        std::memset(static_cast<void*>(p), 0x5A, n * sizeof(T));
        *live += 1;
        return p;
    }
    void deallocate(T* p, std::size_t n) {
        *live -= 1;
        std::allocator<T>{}.deallocate(p, n);
    }
    friend bool operator==(const marked& a, const marked& b) { return a.live == b.live; }
};

template <class T>
using marked_allocator = linn::default_init_allocator<T, marked<T>>;

struct partly {
    unsigned untouched;
    unsigned set = 7;
};

TEST_CASE("elements that are made from nothing are not written") {
    int live = 0;
    {
        const marked_allocator<unsigned> from{marked<unsigned>{live}};
        std::vector<unsigned, marked_allocator<unsigned>> v(100, from);
        CHECK(v.front() == 0x5A5A5A5A);
        CHECK(v.back() == 0x5A5A5A5A);
        v.resize(200);
        CHECK(v.back() == 0x5A5A5A5A);
        CHECK(v.front() == 0x5A5A5A5A);
        std::vector<partly, marked_allocator<partly>> parts(2, marked_allocator<partly>{from});
        CHECK(parts[1].untouched == 0x5A5A5A5A);
        CHECK(parts[1].set == 7);
        CHECK(live == 2);
    }
    CHECK(live == 0);
}

TEST_CASE("elements that are made from something are as ever") {
    std::vector<int, linn::default_init_allocator<int>> v(3, 5);
    v.push_back(6);
    v.emplace_back(7);
    v.resize(6, 8);
    CHECK(v == std::vector<int, linn::default_init_allocator<int>>{5, 5, 5, 6, 7, 8});
    std::vector<std::string, linn::default_init_allocator<std::string>> texts(2);
    CHECK(texts[1].empty());
    texts.emplace_back(3, 'x');
    CHECK(texts.back() == "xxx");
}

TEST_CASE("elements that are made from nothing get the resource of their container") {
    std::pmr::monotonic_buffer_resource arena;
    using pmr = std::pmr::polymorphic_allocator<std::pmr::string>;
    using allocator = linn::default_init_allocator<std::pmr::string, pmr>;
    std::vector<std::pmr::string, allocator> texts(2, allocator{&arena});
    texts.resize(3);
    texts.emplace_back();
    for (const std::pmr::string& text : texts) {
        CHECK(text.get_allocator().resource() == &arena);
    }
    std::array<unsigned, 16> memory{};
    memory.fill(0x5A5A5A5A);
    std::pmr::monotonic_buffer_resource marked_arena{memory.data(), sizeof memory};
    using number = linn::default_init_allocator<unsigned, std::pmr::polymorphic_allocator<unsigned>>;
    CHECK(std::vector<unsigned, number>(8, number{&marked_arena})[7] == 0x5A5A5A5A);
}

TEST_CASE("containers copy, move and compare as with the upstream") {
    int first = 0;
    int second = 0;
    using allocator = marked_allocator<int>;
    CHECK(allocator{marked<int>{first}} == allocator{marked<int>{first}});
    CHECK(allocator{marked<int>{first}} != allocator{marked<int>{second}});
    std::vector<int, allocator> v({1, 2, 3}, allocator{marked<int>{first}});
    const std::vector<int, allocator> copy = v;
    CHECK(copy == v);
    CHECK(first == 2);
    const std::vector<int, allocator> moved = std::move(v);
    CHECK(moved == copy);
    CHECK(first == 2);
    using pmr = std::pmr::polymorphic_allocator<int>;
    std::pmr::monotonic_buffer_resource buffer;
    const std::vector<int, linn::default_init_allocator<int, pmr>> on_resource(4, 9, pmr{&buffer});
    CHECK(on_resource.back() == 9);
    const auto another = on_resource; // a polymorphic allocator does not go along
    CHECK(another.get_allocator().resource() == std::pmr::get_default_resource());
}

static_assert(std::is_empty_v<linn::default_init_allocator<int>>);
static_assert(std::allocator_traits<linn::default_init_allocator<int>>::is_always_equal::value);
static_assert(std::is_same_v<std::allocator_traits<linn::default_init_allocator<int>>::rebind_alloc<char>,
                             linn::default_init_allocator<char>>);

} // namespace default_init_allocator_tests
