// SPDX-License-Identifier: Apache-2.0
// What an allocator-aware container owes its allocator, and the allocator its container: who keeps which
// allocator in copies, moves and swaps; when elements move house and when they stay where they are; nodes that
// outlive their container; what allocators of one family have in common.
#include "allocator_worlds.hpp"
#include "unit.hpp"

#include <linn/local_allocator.hpp>
#include <linn/local_pool.hpp>

#include <compare>
#include <unordered_map>

namespace allocator_awareness_tests {

using linn_test::identified;
using linn_test::pooled;
using linn_test::pooled_over_resources;

struct unknown; // never defined: an allocator may be named, made and compared all the same

template <class W>
constexpr bool is_family = [] {
    using a = typename W::template allocator<int>;
    using traits = std::allocator_traits<a>;
    using b = typename traits::template rebind_alloc<unknown>;
    return std::is_same_v<typename std::allocator_traits<b>::template rebind_alloc<int>, a> &&
           std::is_convertible_v<const b&, a> && std::is_convertible_v<const a&, b> &&
           std::is_nothrow_constructible_v<a, const b&> && std::is_nothrow_copy_constructible_v<a> &&
           std::is_nothrow_move_constructible_v<a> &&
           requires(const a& x, const b& y) { x == y&& y == x && !(x != y); } &&
           traits::is_always_equal::value == std::allocator_traits<b>::is_always_equal::value;
}();
static_assert(is_family<pooled> && is_family<identified<false>> && is_family<pooled_over_resources>);

// Those of other options, or of an upstream that cannot be made from theirs, are strangers.
using usual = linn::allocator<int>;
using other_options = linn::allocator<int, std::allocator<int>, linn::pool_options{.magazine_slots = 3}>;
static_assert(!std::is_constructible_v<usual, const other_options&>);
static_assert(!std::is_constructible_v<usual, const pooled_over_resources::allocator<int>&>);
static_assert(!std::is_convertible_v<std::allocator<int>, usual>);
// void stands for any type in type-erased interfaces.
static_assert(std::is_same_v<std::allocator_traits<linn::allocator<void>>::rebind_alloc<int>, usual>);
static_assert(usual(linn::allocator<void>{}) == usual{});

// As T it has pools of its own, so that none of the counts is another test's.
struct number {
    int value;
    number(int v = 0) : value{v} {}
    friend auto operator<=>(const number& a, const number& b) = default;
};
struct hash {
    std::size_t operator()(const number& n) const noexcept { return static_cast<std::size_t>(n.value); }
};

template <class W>
using vector_in = std::vector<number, typename W::template allocator<number>>;
template <class W>
using list_in = std::list<number, typename W::template allocator<number>>;
template <class W, class Less = std::less<number>>
using map_in = std::map<number, int, Less, typename W::template allocator<std::pair<const number, int>>>;
template <class W, class Less = std::less<number>>
using multiset_in = std::multiset<number, Less, typename W::template allocator<number>>;
template <class W>
using unordered_map_in = std::unordered_map<number, int, hash, std::equal_to<number>,
                                            typename W::template allocator<std::pair<const number, int>>>;

template <class C>
C filled(const typename C::allocator_type& a, int n, int step = 1) {
    C c(a);
    for (int i = 0; i < n * step; i += step) {
        if constexpr (requires { typename C::mapped_type; }) {
            c.emplace(i, i);
        } else if constexpr (requires { typename C::key_type; }) {
            c.emplace(i);
        } else {
            c.emplace_back(i);
        }
    }
    return c;
}

template <class C, class W>
auto first(W& w) {
    return w.template first<typename C::value_type>();
}
template <class C, class W>
auto second(W& w) {
    return w.template second<typename C::value_type>();
}

/// Which allocator a container has after each operation, and whether its elements are the same objects.
template <class C, class W>
void keeps_or_takes(W& w) {
    using traits = std::allocator_traits<typename C::allocator_type>;
    constexpr bool copies = traits::propagate_on_container_copy_assignment::value;
    constexpr bool moves = traits::propagate_on_container_move_assignment::value;
    constexpr bool swaps = traits::propagate_on_container_swap::value;
    const auto x = first<C>(w);
    const auto y = second<C>(w);
    const bool equal = x == y;
    REQUIRE((equal || !traits::is_always_equal::value));
    const auto place = [](const C& c) { return std::addressof(*std::next(c.begin(), 3)); };

    const C original(filled<C>(x, 40));
    CHECK(original.get_allocator() == x); // a move construction takes it along
    const C copied(original);
    CHECK(copied == original);
    CHECK(copied.get_allocator() == traits::select_on_container_copy_construction(x));
    C elsewhere(original, y);
    CHECK(elsewhere == original);
    CHECK(elsewhere.get_allocator() == y);

    const auto* before = place(elsewhere);
    C moved(std::move(elsewhere));
    CHECK(moved.get_allocator() == y);
    CHECK(place(moved) == before);
    C same_house(std::move(moved), y);
    CHECK(place(same_house) == before);
    C other_house(std::move(same_house), x);
    CHECK(other_house == original);
    CHECK(other_house.get_allocator() == x);
    CHECK((place(other_house) == before) == equal);

    C target = filled<C>(y, 7);
    before = place(other_house);
    target = std::move(other_house);
    CHECK(target == original);
    CHECK(target.get_allocator() == (moves ? x : y));
    CHECK((place(target) == before) == (moves || equal));
    other_house = target; // a moved-from container is a container
    CHECK(other_house == original);
    CHECK(other_house.get_allocator() == (copies ? target.get_allocator() : x));
    const C& itself = other_house;
    other_house = itself;
    CHECK(other_house == original);

    C small = filled<C>(y, 5);
    C large = filled<C>(swaps ? x : y, 30);
    before = place(large);
    const auto* before_small = place(small);
    using std::swap;
    swap(small, large);
    CHECK(place(small) == before);
    CHECK(place(large) == before_small);
    CHECK(small.get_allocator() == (swaps ? x : y));
    CHECK(large.get_allocator() == y);
    large = {};
    small.clear();
    CHECK(small.empty());
    CHECK(large.empty());
}

template <class C, class W>
void check() {
    W w;
    const std::size_t before = w.live();
    keeps_or_takes<C>(w);
    CHECK(w.live() == before);
}

TEST_CASE_TEMPLATE("allocator awareness: copies, moves and swaps", W, pooled, identified<false>,
                   identified<true>, pooled_over_resources) {
    check<vector_in<W>, W>();
    check<list_in<W>, W>();
    check<map_in<W>, W>();
    check<unordered_map_in<W>, W>();
}

TEST_CASE_TEMPLATE("allocator awareness: nodes outlive their container and its thread", W, pooled,
                   identified<true>) {
    W w;
    const std::size_t before = w.live();
    {
        using map = map_in<W>;
        using set = multiset_in<W>;
        const auto x = first<map>(w);
        // Not assigned: libc++ 19 cannot assign a handle whose allocator cannot be.
        std::optional<typename map::node_type> kept;
        std::optional<typename map::node_type> dropped;
        std::optional<typename set::node_type> key;
        list_in<W> list(first<list_in<W>>(w));
        std::thread filler{[&] {
            map gone = filled<map>(x, 50);
            kept.emplace(gone.extract(7));
            dropped.emplace(gone.extract(8));
            set gone_too = filled<set>(first<set>(w), 50);
            key.emplace(gone_too.extract(gone_too.find(9)));
            list = filled<list_in<W>>(list.get_allocator(), 300);
        }};
        filler.join();
        CHECK(w.live() >= before + 300);
        CHECK(kept->get_allocator() == x);
        CHECK(kept->key() == number{7});
        CHECK(key->value() == number{9});
        map later(x);
        later.insert(std::move(*kept));
        CHECK(later.at(7) == 7);
        std::thread{[n = std::move(*dropped)] { CHECK_UNARY(n.mapped() == 8); }}.join();
        for (int i = 0; i < 100; ++i) {
            list.pop_front();
            list.emplace_back(i);
        }
        list.sort();
        CHECK(list.size() == 300);
    }
    CHECK(w.live() == before);
}

/// Counts what it constructs and destroys.
template <class T>
struct counting_constructor : std::allocator<T> {
    using is_always_equal = std::false_type;
    template <class U>
    struct rebind {
        using other = counting_constructor<U>;
    };
    counting_constructor(int& n) : objects{&n} {}
    template <class U>
    counting_constructor(const counting_constructor<U>& other) : objects{other.objects} {}
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ++*objects;
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
    template <class U>
    void destroy(U* p) {
        --*objects;
        p->~U();
    }
    int* objects;
};

TEST_CASE("allocator, local_allocator: elements are constructed and destroyed as the upstream does") {
    int objects = 0;
    {
        using upstream = counting_constructor<number>;
        std::list<number, linn::allocator<number, upstream>> list{
            linn::allocator<number, upstream>{upstream{objects}}};
        list.emplace_back(1);
        list.emplace_back(2);
        CHECK(objects == 2);
        struct room {
            alignas(std::max_align_t) std::byte bytes[64];
        };
        linn::local_pool<room> pool;
        using local = linn::local_allocator<number, decltype(pool), upstream>;
        std::list<number, local> other{local{pool, upstream{objects}}};
        other.emplace_back(3);
        CHECK(objects == 3);
    }
    CHECK(objects == 0);

    std::pmr::monotonic_buffer_resource arena;
    using upstream = std::pmr::polymorphic_allocator<std::pmr::string>;
    std::list<std::pmr::string, linn::allocator<std::pmr::string, upstream>> texts{
        linn::allocator<std::pmr::string, upstream>{upstream{&arena}}};
    texts.emplace_back(100, 'x');
    CHECK(texts.back().get_allocator().resource() == &arena);
}

} // namespace allocator_awareness_tests
