// SPDX-License-Identifier: Apache-2.0
// Standard containers with linn::allocator do what they do with the allocator of the standard library: the same operations
// on both, the same content after each, and the nodes of all containers counted by the pools. With a second pair of
// containers to swap, move, splice, merge and extract between; with and without an upstream that has an identity.
#include "../support/expect.hpp"
#include "../support/operations.hpp"
#include "../support/target.hpp"
#include "counting_upstream.hpp"

#include <linn/allocator.hpp>
#include <linn/statistics.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using namespace linn_fuzz;

constexpr std::size_t most_elements = 96;

/// Owns memory for some values, so that a forgotten or doubled destructor shows.
struct value {
    explicit value(std::size_t n) : text((n % 3) * 20, static_cast<char>('a' + n % 26)), number{n} {}
    std::string text;
    std::size_t number;
    friend bool operator==(const value&, const value&) = default;
    friend auto operator<=>(const value& a, const value& b) { return a.number <=> b.number; }
};

using element = std::pair<const std::size_t, value>;

linn_test::upstream_counters theirs;
linn_test::upstream_counters ours;

/// An upstream with an identity, whose traits all say yes, or all no.
template <class T, bool Propagates>
using upstream = linn_test::counting_upstream<T, Propagates, Propagates, Propagates, Propagates>;

struct stateless {
    template <class T>
    using standard = std::allocator<T>;
    template <class T>
    using pooled = linn::allocator<T>;

    template <class Allocator>
    static Allocator make(int) {
        return Allocator{};
    }
    template <class A, class B>
    static void compare(const A&, const B&) {}
};

template <bool Propagates>
struct with_identity {
    template <class T>
    using standard = upstream<T, Propagates>;
    template <class T>
    using pooled = linn::allocator<T, upstream<T, Propagates>>;

    template <class Allocator>
    static Allocator make(int number) {
        if constexpr (std::is_constructible_v<Allocator, int, linn_test::upstream_counters&>) {
            return Allocator{number, theirs};
        } else {
            return Allocator{upstream<typename Allocator::value_type, Propagates>{number, ours}};
        }
    }
    template <class A, class B>
    static void compare(const A& a, const B& b) {
        expect(a.get_allocator().id == b.get_allocator().upstream().id, "the allocator that a container has");
    }
};

/// Two containers each of the standard's and of ours.
template <class Family, template <class> class Container, class T>
struct container_state {
    using standard_type = typename Container<typename Family::template standard<T>>::type;
    using pooled_type = typename Container<typename Family::template pooled<T>>::type;

    template <class C>
    struct side {
        C first{Family::template make<typename C::allocator_type>(1)};
        C second{Family::template make<typename C::allocator_type>(2)};
    };
    side<standard_type> standard;
    side<pooled_type> pooled;

    bool is_turned = false; ///< the second container is the one that operations are about

    /// Does the same to both, and compares.
    template <class F>
    void both(F f) {
        if (is_turned) {
            f(standard.second, standard.first);
            f(pooled.second, pooled.first);
        } else {
            f(standard.first, standard.second);
            f(pooled.first, pooled.second);
        }
        same(standard.first, pooled.first);
        same(standard.second, pooled.second);
    }
    static void same(const standard_type& a, const pooled_type& b) {
        expect_equal(b.size(), a.size(), "elements");
        if constexpr (requires { a.bucket_count(); }) {
            expect_equal(b.bucket_count(), a.bucket_count(), "buckets");
        }
        expect(std::equal(a.begin(), a.end(), b.begin(), b.end()),
               "elements differ from the standard container's");
        Family::compare(a, b);
    }
    [[nodiscard]] bool is_full() const {
        return (is_turned ? standard.second : standard.first).size() >= most_elements;
    }
    /// Whether nodes may change hands.
    [[nodiscard]] bool are_equal() const {
        return standard.first.get_allocator() == standard.second.get_allocator();
    }
};

template <class C>
auto at(C& c, std::size_t n) {
    return std::next(c.begin(), static_cast<std::ptrdiff_t>(n));
}

// --- every container -------------------------------------------------------------------------------

/// Whole containers change hands.
template <class State>
struct whole {
    explicit whole(input& in) : what{in.below(7)} {}
    void perform(State& s) const {
        const bool can_swap =
            s.are_equal() ||
            std::allocator_traits<
                typename State::standard_type::allocator_type>::propagate_on_container_swap::value;
        s.both([&](auto& a, auto& b) {
            using container = std::remove_reference_t<decltype(a)>;
            switch (what) {
            case 0:
                if (can_swap) {
                    a.swap(b);
                }
                break;
            case 1:
                a = std::move(b);
                b.clear();
                break;
            case 2:
                a = b;
                break;
            case 3: {
                container copy{a};
                expect(copy == a, "a copy differs");
                container moved{std::move(copy)};
                expect(moved == a, "what was moved differs");
                break;
            }
            case 4: {
                container copy{a, b.get_allocator()};
                b = std::move(copy);
                break;
            }
            case 5: {
                container moved{std::move(a), b.get_allocator()};
                a.clear();
                a = std::move(moved);
                break;
            }
            default:
                b.clear();
            }
        });
    }
    std::size_t what;
};

template <class State>
struct turn {
    explicit turn(input&) {}
    void perform(State& s) const { s.is_turned = !s.is_turned; }
};

// --- sequences -----------------------------------------------------------------------------------

template <class State>
struct insert {
    explicit insert(input& in)
        : where{in.below(256)},
          count{in.below(4)},
          number{in.below(64)},
          how{in.below(5)} {}
    void perform(State& s) const {
        if (s.is_full()) {
            return;
        }
        s.both([&](auto& a, auto&) {
            const auto place = at(a, where % (a.size() + 1));
            const value v{number};
            switch (how) {
            case 0:
                a.push_back(v);
                break;
            case 1:
                a.emplace_back(number);
                break;
            case 2:
                a.insert(place, count, v);
                break;
            case 3: {
                const std::vector<value> some(count, v);
                a.insert(place, some.begin(), some.end());
                break;
            }
            default:
                a.emplace(place, number);
            }
        });
    }
    std::size_t where;
    std::size_t count;
    std::size_t number;
    std::size_t how;
};

template <class State>
struct erase {
    explicit erase(input& in) : where{in.below(256)}, count{in.below(8)}, how{in.below(4)} {}
    void perform(State& s) const {
        s.both([&](auto& a, auto&) {
            if (a.empty()) {
                return;
            }
            const std::size_t from = where % a.size();
            const std::size_t n = std::min(count, a.size() - from);
            switch (how) {
            case 0:
                a.pop_back();
                break;
            case 1:
                a.erase(at(a, from));
                break;
            case 2:
                a.erase(at(a, from), at(a, from + n));
                break;
            default:
                std::erase_if(a, [&](const value& v) { return v.number % 8 == count; });
            }
        });
    }
    std::size_t where;
    std::size_t count;
    std::size_t how;
};

template <class State>
struct reshape {
    explicit reshape(input& in) : size{in.below(most_elements)}, number{in.below(64)}, how{in.below(4)} {}
    void perform(State& s) const {
        s.both([&](auto& a, auto&) {
            switch (how) {
            case 0:
                a.resize(size, value{number});
                break;
            case 1:
                a.assign(size, value{number});
                break;
            case 2:
                if constexpr (requires { a.shrink_to_fit(); }) {
                    a.shrink_to_fit();
                }
                break;
            default:
                if constexpr (requires { a.reserve(size); }) {
                    a.reserve(size);
                }
            }
        });
    }
    std::size_t size;
    std::size_t number;
    std::size_t how;
};

template <class State>
struct front {
    explicit front(input& in) : number{in.below(64)}, pushes{in.flag()} {}
    void perform(State& s) const {
        if (pushes && s.is_full()) {
            return;
        }
        s.both([&](auto& a, auto&) {
            if (pushes) {
                a.emplace_front(number);
            } else if (!a.empty()) {
                a.pop_front();
            }
        });
    }
    std::size_t number;
    bool pushes;
};

// --- lists ---------------------------------------------------------------------------------------

template <class State>
struct relink {
    explicit relink(input& in)
        : where{in.below(256)},
          from{in.below(256)},
          count{in.below(16)},
          how{in.below(8)} {}
    void perform(State& s) const {
        const bool can_splice = s.are_equal() && !s.is_full();
        s.both([&](auto& a, auto& b) {
            const auto place = at(a, where % (a.size() + 1));
            const std::size_t begin = b.empty() ? 0 : from % b.size();
            const std::size_t end = std::min(begin + count, b.size());
            switch (how) {
            case 0:
                if (can_splice) {
                    a.splice(place, b);
                }
                break;
            case 1:
                if (can_splice && !b.empty()) {
                    a.splice(place, b, at(b, begin));
                }
                break;
            case 2:
                if (can_splice) {
                    a.splice(place, b, at(b, begin), at(b, end));
                }
                break;
            case 3:
                if (can_splice) {
                    a.sort();
                    b.sort();
                    a.merge(b);
                }
                break;
            case 4:
                a.sort();
                break;
            case 5:
                a.reverse();
                break;
            case 6:
                a.unique();
                break;
            default:
                a.remove(value{from % 64});
            }
        });
    }
    std::size_t where;
    std::size_t from;
    std::size_t count;
    std::size_t how;
};

// --- maps ----------------------------------------------------------------------------------------

template <class State>
struct put_in {
    explicit put_in(input& in) : key{in.below(128)}, number{in.below(64)}, how{in.below(5)} {}
    void perform(State& s) const {
        if (s.is_full()) {
            return;
        }
        s.both([&](auto& a, auto&) {
            switch (how) {
            case 0:
                a.emplace(key, number);
                break;
            case 1:
                a.insert({key, value{number}});
                break;
            case 2:
                a.insert_or_assign(key, value{number});
                break;
            case 3:
                a.try_emplace(key, number);
                break;
            default:
                a.emplace_hint(a.begin(), key, value{number});
            }
        });
    }
    std::size_t key;
    std::size_t number;
    std::size_t how;
};

template <class State>
struct take_out {
    explicit take_out(input& in) : key{in.below(128)}, number{in.below(8)}, how{in.below(3)} {}
    void perform(State& s) const {
        s.both([&](auto& a, auto&) {
            if (how == 0) {
                a.erase(key);
            } else if (how == 1) {
                std::erase_if(a, [&](const auto& e) { return e.second.number % 8 == number; });
            } else if (!a.empty()) {
                a.erase(at(a, key % a.size()));
            }
        });
    }
    std::size_t key;
    std::size_t number;
    std::size_t how;
};

/// Nodes leave one container and enter the other.
template <class State>
struct hand_over {
    explicit hand_over(input& in) : key{in.below(128)}, to{in.below(128)}, how{in.below(4)} {}
    void perform(State& s) const {
        const bool can = s.are_equal() && !s.is_full();
        s.both([&](auto& a, auto& b) {
            if (how == 0) {
                if (can) {
                    a.merge(b);
                }
                return;
            }
            auto node = b.extract(key);
            if (node.empty() || how == 1) {
                return; // the node's destructor gives it back
            }
            node.key() = to;
            if (how == 2 && can) {
                a.insert(std::move(node));
            } else {
                b.insert(std::move(node));
            }
        });
    }
    std::size_t key;
    std::size_t to;
    std::size_t how;
};

template <class State>
struct rehash {
    explicit rehash(input& in) : count{in.below(512)}, reserves{in.flag()} {}
    void perform(State& s) const {
        s.both([&](auto& a, auto&) {
            if (reserves) {
                a.reserve(count);
            } else {
                a.rehash(count);
            }
        });
    }
    std::size_t count;
    bool reserves;
};

// --- which containers ------------------------------------------------------------------------------

template <class Allocator>
struct list_of {
    using type = std::list<value, Allocator>;
};
template <class Allocator>
struct vector_of {
    using type = std::vector<value, Allocator>;
};
template <class Allocator>
struct deque_of {
    using type = std::deque<value, Allocator>;
};
template <class Allocator>
struct map_of {
    using type = std::map<std::size_t, value, std::less<>, Allocator>;
};
template <class Allocator>
struct hash_of {
    using type = std::unordered_map<std::size_t, value, std::hash<std::size_t>, std::equal_to<>, Allocator>;
};

template <class Family>
void fuzz_list(input& in) {
    using state = container_state<Family, list_of, value>;
    state s;
    operations<state, often<insert<state>, 8>, often<erase<state>, 2>, reshape<state>, often<front<state>, 2>,
               often<relink<state>, 3>, turn<state>, whole<state>>::all(s, in);
}

template <class Family, template <class> class Container>
void fuzz_array(input& in) {
    using state = container_state<Family, Container, value>;
    state s;
    operations<state, often<insert<state>, 8>, often<erase<state>, 2>, reshape<state>, turn<state>,
               whole<state>>::all(s, in);
}

template <class Family>
void fuzz_map(input& in) {
    using state = container_state<Family, map_of, element>;
    state s;
    operations<state, often<put_in<state>, 12>, often<take_out<state>, 2>, often<hand_over<state>, 2>,
               turn<state>, whole<state>>::all(s, in);
}

template <class Family>
void fuzz_hash(input& in) {
    using state = container_state<Family, hash_of, element>;
    state s;
    operations<state, often<put_in<state>, 12>, often<take_out<state>, 2>, often<hand_over<state>, 2>,
               rehash<state>, turn<state>, whole<state>>::all(s, in);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    // Not each container with each kind of allocator: that would be minutes of compiling.
    switch (in.below(9)) {
    case 0:
        fuzz_list<stateless>(in);
        break;
    case 1:
        fuzz_list<with_identity<true>>(in);
        break;
    case 2:
        fuzz_map<stateless>(in);
        break;
    case 3:
        fuzz_map<with_identity<false>>(in);
        break;
    case 4:
        fuzz_hash<stateless>(in);
        break;
    case 5:
        fuzz_hash<with_identity<true>>(in);
        break;
    case 6:
        fuzz_array<stateless, deque_of>(in);
        break;
    case 7:
        fuzz_array<with_identity<false>, deque_of>(in);
        break;
    default:
        fuzz_array<with_identity<true>, vector_of>(in);
    }
    for (const linn::pool_statistics& s : linn::statistics()) {
        expect_equal(s.live, 0, "nodes that no container gave back");
    }
    expect_equal(ours.objects, 0, "elements that our upstream did not get back");
    expect_equal(theirs.objects, 0, "elements that the standard containers' allocator did not get back");
    return 0;
}
