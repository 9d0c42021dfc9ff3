// SPDX-License-Identifier: Apache-2.0
// Promise: linn::allocator takes one object from the pool of its type and everything else from its upstream, and compares and
// copies as that upstream does; local_allocator likewise. Containers keep, take and exchange it in copies, moves and swaps as its
// traits say, elements move house or stay where they are, and nodes may outlive their container. All of std, and of Boost.

// Boost 1.74 derives from std::unary_function, which libc++ has no more in C++20.
#define _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION // NOLINT(bugprone-reserved-identifier)

#include "counting_upstream.hpp"
#include "unit.hpp"

#include <linn/allocator.hpp>
#include <linn/containers.hpp>
#include <linn/local_allocator.hpp>
#include <linn/local_pool.hpp>

#include <compare>
#include <unordered_map>

#if __has_include(<boost/container/slist.hpp>)
#define LINN_TEST_BOOST_CONTAINERS 1
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#include <boost/container/slist.hpp>
#include <boost/unordered_set.hpp>
#endif

namespace allocator_tests {

using linn::allocator;
using linn_test::counting_upstream;
using linn_test::upstream_counters;

struct node {
    long a = 1;
    long b = 2;
};

using plain = allocator<node>;

static_assert(std::is_empty_v<plain>);
static_assert(sizeof(plain) == 1);
static_assert(std::is_nothrow_default_constructible_v<plain>);
static_assert(noexcept(std::declval<plain&>().deallocate(nullptr, 1)));
static_assert(std::allocator_traits<plain>::is_always_equal::value);
static_assert(plain{} == allocator<int>{});

// rebind keeps every parameter.
constexpr linn::pool_options special{.slab_bytes = 1 << 16, .magazine_slots = 5};
using counted = counting_upstream<node, true, false, true, false>;
using full = allocator<node, counted, special>;
static_assert(std::is_same_v<std::allocator_traits<full>::rebind_alloc<int>,
                             allocator<int, counting_upstream<int, true, false, true, false>, special>>);

static_assert(!std::is_default_constructible_v<full>, "an upstream that needs arguments must get them");
static_assert(!std::is_convertible_v<counted, full>, "only when asked for");

template <class T>
std::size_t live() {
    return linn::pool<T>::statistics().live;
}

TEST_CASE("allocator: one object from the pool, everything else from upstream") {
    upstream_counters counters;
    using type = allocator<node, counting_upstream<node>>;
    type a{counting_upstream<node>{1, counters}};
    const std::size_t before = live<node>();
    node* one = a.allocate(1);
    CHECK(counters.allocations == 0);
    CHECK(live<node>() == before + 1);
    node* many = a.allocate(7);
    CHECK(counters.allocations == 1);
    CHECK(counters.objects == 7);
    node* none = a.allocate(0);
    CHECK(counters.allocations == 2);
    CHECK(live<node>() == before + 1);
    a.deallocate(none, 0);
    a.deallocate(many, 7);
    a.deallocate(one, 1);
    CHECK(counters.deallocations == 2);
    CHECK(counters.objects == 0);
    CHECK(live<node>() == before);
}

TEST_CASE("allocator: an array that is too large is refused") {
    plain a;
    CHECK_THROWS_AS(static_cast<void>(a.allocate(std::numeric_limits<std::size_t>::max() / 2)),
                    std::bad_array_new_length);
    CHECK_THROWS_AS(static_cast<void>(a.allocate(std::numeric_limits<std::size_t>::max() / sizeof(node) + 1)),
                    std::bad_array_new_length);
}

TEST_CASE("allocator: equality is that of the upstream") {
    upstream_counters counters;
    using type = allocator<node, counting_upstream<node>>;
    const type a{counting_upstream<node>{1, counters}};
    const type same{counting_upstream<node>{1, counters}};
    const type other{counting_upstream<node>{2, counters}};
    CHECK(a == same);
    CHECK(a != other);
    const allocator<int, counting_upstream<int>> rebound{a};
    CHECK(rebound == a);
    CHECK(a == rebound);
    CHECK(rebound != other);
    CHECK(rebound.upstream().id == 1);
    const std::vector<int, allocator<int, std::allocator<char>>> of_another_type{1, 2, 3};
    CHECK(of_another_type.size() == 3);
    using selected = allocator<node, counting_upstream<node, false, false, false, true>>;
    const selected original{counting_upstream<node, false, false, false, true>{1, counters}};
    CHECK(std::allocator_traits<selected>::select_on_container_copy_construction(original).upstream().id ==
          1001);
}

static_assert(std::is_same_v<linn::list<int>, std::list<int, linn::allocator<int>>>);
static_assert(
    std::is_same_v<linn::map<int, char>::allocator_type, linn::allocator<std::pair<const int, char>>>);
static_assert(std::is_same_v<linn::set<int, std::greater<int>>::key_compare, std::greater<int>>);
static_assert(std::is_nothrow_move_assignable_v<linn::list<int>>);
static_assert(std::is_nothrow_move_constructible_v<linn::map<int, int>>);
static_assert(sizeof(linn::list<int>) == sizeof(std::list<int>));
static_assert(sizeof(linn::map<int, int>) == sizeof(std::map<int, int>));
static_assert(sizeof(linn::unordered_map<int, int>) == sizeof(std::unordered_map<int, int>));

// --- the kinds of allocators that a container may meet, one class each ("world") ------------------------------
// Each has `allocator<T>`, `first<T>()` and `second<T>()`, which differ where the kind has an identity, and `live()`: the blocks
// that are handed out. What is not counted there, LeakSanitizer sees.

/// Objects alive in all pools.
std::size_t live_in_pools() {
    std::size_t sum = 0;
    for (auto* d = linn::detail::registry<linn::detail::platform>::process().newest(); d != nullptr;
         d = d->older) {
        sum += d->is_primary() ? d->statistics().live : 0;
    }
    return sum;
}

/// linn::allocator as it comes: all are equal.
struct pooled {
    template <class T>
    using allocator = linn::allocator<T>;
    template <class T>
    static allocator<T> first() {
        return {};
    }
    template <class T>
    static allocator<T> second() {
        return {};
    }
    static std::size_t live() { return live_in_pools(); }
};

/// linn::allocator over an upstream with an identity.
template <bool Propagates>
class identified {
public:
    template <class T>
    using upstream = counting_upstream<T, Propagates, Propagates, Propagates, Propagates>;
    template <class T>
    using allocator = linn::allocator<T, upstream<T>>;
    template <class T>
    allocator<T> first() {
        return allocator<T>{upstream<T>{1, one_}};
    }
    template <class T>
    allocator<T> second() {
        return allocator<T>{upstream<T>{2, two_}};
    }
    [[nodiscard]] std::size_t live() const {
        return live_in_pools() + static_cast<std::size_t>(one_.objects + two_.objects);
    }

private:
    upstream_counters one_;
    upstream_counters two_;
};

/// Nodes from two pools that are objects.
class in_local_pools {
public:
    using pool = linn::local_pool<linn::node_storage<64>>;
    template <class T>
    using allocator = linn::local_allocator<T, pool>;
    template <class T>
    allocator<T> first() {
        return allocator<T>{one_};
    }
    template <class T>
    allocator<T> second() {
        return allocator<T>{two_};
    }
    [[nodiscard]] std::size_t live() const { return one_.live() + two_.live(); }

private:
    pool one_;
    pool two_;
};

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
static_assert(is_family<pooled> && is_family<identified<false>> && is_family<in_local_pools>);

// Those of other options, or of an upstream that cannot be made from theirs, are strangers.
using usual = linn::allocator<int>;
using other_options = linn::allocator<int, std::allocator<int>, linn::pool_options{.magazine_slots = 3}>;
static_assert(!std::is_constructible_v<usual, const other_options&>);
static_assert(
    !std::is_constructible_v<usual, const linn::allocator<int, std::pmr::polymorphic_allocator<int>>&>);
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
        } else if constexpr (requires { c.emplace_back(i); }) {
            c.emplace_back(i);
        } else {
            c.emplace_front(i);
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

/// Likewise; each element is a node of a pool.
template <class C>
void check_nodes() {
    const std::size_t before = live_in_pools();
    {
        const C c = filled<C>({}, 100);
        CHECK(live_in_pools() >= before + 100);
    }
    check<C, pooled>();
}

TEST_CASE_TEMPLATE("allocator awareness: copies, moves and swaps", W, pooled, identified<false>,
                   identified<true>, in_local_pools) {
    check<vector_in<W>, W>();
    check<list_in<W>, W>();
    check<map_in<W>, W>();
    check<unordered_map_in<W>, W>();
}

TEST_CASE_TEMPLATE("containers: those of std", C, linn::list<number>, linn::set<number>,
                   linn::multiset<number>, linn::map<number, int>, linn::multimap<number, int>,
                   linn::unordered_set<number, hash>, linn::unordered_multiset<number, hash>,
                   linn::unordered_map<number, int, hash>, linn::unordered_multimap<number, int, hash>) {
    check_nodes<C>();
}

#if defined(LINN_TEST_BOOST_CONTAINERS)
using numbers = linn::allocator<number>;
TEST_CASE_TEMPLATE(
    "containers: those of Boost", C, boost::container::list<number, numbers>,
    boost::container::slist<number, numbers>, boost::container::set<number, std::less<number>, numbers>,
    boost::container::map<number, int, std::less<number>, linn::allocator<std::pair<const number, int>>>,
    boost::unordered_set<number, hash, std::equal_to<number>, numbers>) {
    check_nodes<C>();
}
#endif

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

struct counted_text {
    using allocator_type = std::pmr::polymorphic_allocator<char>;
    explicit counted_text(int& count, const allocator_type& a = {}) : text(a) { ++count; }
    std::pmr::string text;
};

TEST_CASE("allocator: an element that takes a reference gets the resource of the container too") {
    std::pmr::monotonic_buffer_resource arena;
    using entry = std::pair<const int, counted_text>;
    const linn::allocator<entry, std::pmr::polymorphic_allocator<entry>> from{&arena};
    std::map<int, counted_text, std::less<>, std::remove_cv_t<decltype(from)>> texts{from};
    int count = 0;
    texts.emplace(1, count);
    texts.try_emplace(2, count);
    CHECK(texts.at(1).text.get_allocator().resource() == &arena);
    CHECK(texts.at(2).text.get_allocator().resource() == &arena);
    CHECK(count == 2);
}

} // namespace allocator_tests
