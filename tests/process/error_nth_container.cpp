// SPDX-License-Identifier: Apache-2.0
// Promise: when the n-th request for memory fails, for every n, each operation of each container over
// linn::allocator or a pool_resource throws std::bad_alloc and leaves what the standard says: the container as it
// was where it promises that, else one that can be used and destroyed. Nothing is lost, and the same operation
// succeeds when there is memory again.
//
// Breaks when an allocator's slow path throws half-way, or loses a slot. Elements are large, so that each node is a
// request of its own. See failing_requests.hpp.
#include "failing_requests.hpp"

#include <linn/linn.hpp>

#include <algorithm>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using linn_test::attempt;
using linn_test::fail_each_request;
using linn_test::requests;

struct value {
    value(int n) : number{n} {}
    value(const value& other) : number{other.number} {}
    value& operator=(const value& other) {
        number = other.number;
        return *this;
    }
    ~value() = default;
    int number;
    char rest[9000]; // more than an eighth of a slab: it gets one of its own
    friend bool operator==(const value& a, const value& b) { return a.number == b.number; }
    friend bool operator<(const value& a, const value& b) { return a.number < b.number; }
};
struct hash {
    std::size_t operator()(const value& v) const noexcept { return static_cast<std::size_t>(v.number); }
};

constexpr linn::pool_options small_slabs{.slab_bytes = 65536, .magazine_slots = 1, .retain_bytes = 0};
template <class T>
using pooled = linn::allocator<T, std::allocator<T>, small_slabs>;
using entry = std::pair<const int, value>;

/// The element with a number.
template <class C>
typename C::value_type element(int n) {
    if constexpr (requires { typename C::mapped_type; }) {
        return {n, value{n}};
    } else {
        return typename C::value_type(n);
    }
}
template <class T>
int number_of(const T& v) {
    if constexpr (requires { v.second; }) {
        return v.first;
    } else if constexpr (requires { v.number; }) {
        return v.number;
    } else {
        return static_cast<int>(v);
    }
}

template <class C>
void add(C& c, int i) {
    if constexpr (requires { c.push_back(element<C>(i)); }) {
        c.push_back(element<C>(i));
    } else if constexpr (requires { c.push_front(element<C>(i)); }) {
        c.push_front(element<C>(i));
    } else {
        c.insert(element<C>(i));
    }
}

std::vector<int> from_to(int begin, int end) {
    std::vector<int> all;
    for (; begin < end; ++begin) {
        all.push_back(begin);
    }
    return all;
}
template <class C>
std::vector<int> numbers(const C& c) {
    std::vector<int> all;
    for (const auto& each : c) {
        all.push_back(number_of(each));
    }
    std::sort(all.begin(), all.end());
    return all;
}
template <class C>
bool holds(const C& c, int n) {
    return numbers(c) == from_to(0, n);
}
/// A deque of libc++ starts with room for more than this test puts into it.
template <class C>
constexpr bool has_room =
#if defined(_LIBCPP_VERSION)
    requires(C c) { c.pop_front(), c[0]; };
#else
    false;
#endif

/// Whatever it holds, it is a whole container: it counts right, and may be emptied and used.
template <class C>
void check_usable(C& c) {
    if constexpr (requires { c.size(); }) {
        CHECK(numbers(c).size() == c.size());
    }
    c.clear();
    for (int i = 0; i < 4; ++i) {
        add(c, i);
    }
    CHECK(holds(c, 4));
}

constexpr int few = 3; // elements of the container that is operated on: 0 to 2
constexpr int all = 9; // those and the six of the other one
constexpr int other_ones = -1;

enum class guarantee { strong, basic };

/// The operations of one kind of container, each with its name in what is printed.
template <class C>
class trial {
public:
    explicit trial(const char* name, linn::pool_resource* from = nullptr) : name_{name}, from_{from} {}

    /// Tries `act(c, other)`, after which `c` holds the numbers below `after`.
    void operator()(const char* what, guarantee promised, int after, const std::function<void(C&, C&)>& act,
                    requests expected = requests::some) {
        char title[100];
        std::snprintf(title, sizeof title, "%s: %s", name_, what);
        fail_each_request(
            title,
            [&](attempt& a) {
                if (from_ != nullptr) {
                    from_->trim();
                }
                C c = make(0, few);
                C other = make(few, all);
                const bool done = a.run([&] {
                    act(c, other);
                    return true;
                });
                if (done) {
                    CHECK(after == other_ones ? numbers(c) == from_to(few, all) : holds(c, after));
                } else if (promised == guarantee::strong) {
                    CHECK(holds(c, few) && numbers(other) == from_to(few, all));
                }
                check_usable(c);
                check_usable(other);
                return done;
            },
            has_room<C> && expected == requests::some ? requests::perhaps : expected);
    }

    /// As the constructor with these arguments, and the allocator where it has a state.
    template <class... Args>
    [[nodiscard]] C constructed(Args&&... args) const {
        if constexpr (is_pmr) {
            return C(std::forward<Args>(args)..., typename C::allocator_type{from_});
        } else {
            return C(std::forward<Args>(args)...);
        }
    }
    [[nodiscard]] C make(int begin, int end) const {
        C c = constructed();
        for (; begin < end; ++begin) {
            add(c, begin);
        }
        return c;
    }

private:
    static constexpr bool is_pmr =
        std::is_same_v<typename C::allocator_type, std::pmr::polymorphic_allocator<typename C::value_type>>;
    const char* name_;
    linn::pool_resource* from_;
};

template <class C>
void copies(trial<C>& t) {
    using iterator = typename C::iterator;
    if constexpr (std::is_constructible_v<C, iterator, iterator, typename C::allocator_type>) {
        t("construct from a range", guarantee::strong, few,
          [&](C& c, C&) { static_cast<void>(t.constructed(c.begin(), c.end())); });
    }
    t("copy", guarantee::strong, few, [&](C& c, C&) { static_cast<void>(t.constructed(c)); });
    t("copy assign", guarantee::basic, other_ones, [](C& c, C& other) { c = other; });
    t(
        "move assign, swap, clear", guarantee::strong, few,
        [](C& c, C& other) {
            c.swap(other);
            other.swap(c);
            other.clear();
            other = std::move(c);
            c = std::move(other);
        },
        requests::none);
}

template <class C>
void sequence(const char* name, linn::pool_resource* from = nullptr) {
    trial<C> t{name, from};
    copies(t);
    const auto leave_no_room = [](C& c) {
        if constexpr (requires { c.shrink_to_fit(); }) {
            c.shrink_to_fit(); // gives up silently when there is no memory
        }
    };
    t("push_back", guarantee::strong, few + 1, [&](C& c, C&) {
        leave_no_room(c);
        c.push_back(element<C>(few));
    });
    t("emplace in the middle", guarantee::basic, few + 1, [&](C& c, C&) {
        leave_no_room(c);
        c.emplace(std::next(c.begin(), 2), few);
    });
    t("insert a range", guarantee::basic, all,
      [](C& c, C& other) { c.insert(std::next(c.begin(), 2), other.begin(), other.end()); });
    t("assign", guarantee::basic, other_ones, [](C& c, C& other) {
        c.assign(30, element<C>(0));
        c.assign(other.begin(), other.end());
    });
    t("resize", guarantee::basic, few, [](C& c, C&) {
        c.resize(20, element<C>(0));
        c.resize(few, element<C>(0));
    });
    if constexpr (requires(C& c) { c.splice(c.begin(), c); }) {
        t(
            "splice, sort, unique, reverse, merge", guarantee::strong, all,
            [](C& c, C& other) {
                c.splice(c.begin(), other, other.begin());
                c.sort();
                c.unique();
                c.merge(other);
                c.reverse();
            },
            requests::none);
    }
}

template <class C>
void forward(const char* name) {
    trial<C> t{name};
    copies(t);
    t("push_front", guarantee::strong, few + 1, [](C& c, C&) { c.push_front(element<C>(few)); });
    t("insert_after a range", guarantee::strong, all,
      [](C& c, C& other) { c.insert_after(c.before_begin(), other.begin(), other.end()); });
    t("assign", guarantee::basic, other_ones, [](C& c, C& other) {
        c.assign(30, element<C>(0));
        c.assign(other.begin(), other.end());
    });
    t(
        "splice_after, sort, merge", guarantee::strong, all,
        [](C& c, C& other) {
            c.splice_after(c.before_begin(), other);
            c.sort();
            c.merge(other);
        },
        requests::none);
}

template <class C>
void associative(const char* name, linn::pool_resource* from = nullptr) {
    trial<C> t{name, from};
    copies(t);
    t("emplace", guarantee::strong, few + 1, [](C& c, C&) {
        if constexpr (requires { typename C::mapped_type; }) {
            c.emplace(few, few);
        } else {
            c.emplace(few);
        }
    });
    t("insert with a hint", guarantee::strong, few + 1,
      [](C& c, C&) { c.insert(c.begin(), element<C>(few)); });
    t("insert a range", guarantee::basic, all, [](C& c, C& other) { c.insert(other.begin(), other.end()); });
    // Nodes change hands; only buckets may be needed.
    constexpr bool hashed = requires(C& c) { c.rehash(1); };
    const auto take_over = [](C& c, C& other) {
        c.insert(other.extract(other.begin()));
        c.merge(other);
    };
    if constexpr (hashed) {
        t("rehash", guarantee::strong, few, [](C& c, C&) { c.rehash(1000); });
        t("reserve", guarantee::strong, few, [](C& c, C&) { c.reserve(5000); });
        t("extract and merge", guarantee::basic, all, [&](C& c, C& other) {
            c.rehash(few);
            c.rehash(50);
            take_over(c, other);
        });
    } else {
        t("extract and merge", guarantee::strong, all, take_over, requests::none);
    }
    t(
        "erase", guarantee::strong, few - 1,
        [](C& c, C&) {
            for (auto i = c.begin(); i != c.end();) {
                i = number_of(*i) == few - 1 ? c.erase(i) : std::next(i);
            }
        },
        requests::none);
}

} // namespace

int main() {
    if (linn_test::on_memcheck()) {
        return linn_test::skip("memory is not refused under Memcheck");
    }
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION >= 220000
    return linn_test::skip(
        "containers of libc++ 22 miscount or lose nodes when a copy of theirs is refused one");
#endif
    sequence<std::list<value, pooled<value>>>("list");
    sequence<std::vector<value, pooled<value>>>("vector");
    associative<std::map<int, value, std::less<int>, pooled<entry>>>("map");
    if (linn::detail::checked_build) {
        return 0; // each free object is compared with its pattern in each attempt; the pools are the same
    }
    sequence<std::deque<value, pooled<value>>>("deque");
    forward<std::forward_list<value, pooled<value>>>("forward_list");
    associative<std::set<value, std::less<value>, pooled<value>>>("set");
    associative<std::multimap<int, value, std::less<int>, pooled<entry>>>("multimap");
    associative<std::unordered_set<value, hash, std::equal_to<value>, pooled<value>>>("unordered_set");
    associative<std::unordered_multiset<value, hash, std::equal_to<value>, pooled<value>>>(
        "unordered_multiset");
    associative<std::unordered_map<int, value, std::hash<int>, std::equal_to<int>, pooled<entry>>>(
        "unordered_map");

    // Each node is a block of its own here, too; error_nth_request has what lies in slabs.
    linn::pool_resource resource{{.largest_pooled_bytes = 64}};
    sequence<std::pmr::list<value>>("pmr::list", &resource);
    sequence<std::pmr::vector<value>>("pmr::vector", &resource);
    associative<std::pmr::unordered_map<int, value>>("pmr::unordered_map", &resource);
    for (const linn::pool_statistics& s : resource.statistics()) {
        CHECK(s.live == 0);
    }
}
