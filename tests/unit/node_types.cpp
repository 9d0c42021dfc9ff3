// SPDX-License-Identifier: Apache-2.0
// What node_types() says must be what the container does: each is filled for real, with an allocator that
// notes every request, and the two lists must be equal. No size stands here, so it holds for every
// standard library. It fails when a library allocates in a way that the probe does not reach.

// Boost 1.74 derives from std::unary_function, which libc++ has no more in C++20.
#define _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION // NOLINT(bugprone-reserved-identifier)

#include "unit.hpp"

#include <linn/node_types.hpp>

#include <deque>
#include <forward_list>
#include <queue>
#include <stack>
#include <unordered_map>
#include <unordered_set>

#if __has_include(<boost/container/stable_vector.hpp>)
#define LINN_TEST_BOOST 1
#include <boost/container/deque.hpp>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#include <boost/container/slist.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/container/stable_vector.hpp>
#include <boost/container/static_vector.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#endif

namespace node_types_tests {

using linn::node_type;
using linn::node_types;

/// Notes what it is asked for.
struct note {
    static inline std::vector<node_type> all;
    static void take(node_type asked) {
        const auto known =
            std::find_if(all.begin(), all.end(), [&](const node_type& t) { return t.name == asked.name; });
        if (known == all.end()) {
            all.push_back(asked);
        } else {
            known->single = known->single && asked.single;
        }
    }
};

template <class T>
struct noting_allocator {
    using value_type = T;
    noting_allocator() = default;
    template <class U>
    noting_allocator(const noting_allocator<U>&) noexcept {} // NOLINT(google-explicit-constructor)
    T* allocate(std::size_t n) {
        note::take({linn::detail::type_name<T>(), sizeof(T), alignof(T), n, n == 1});
        return std::allocator<T>{}.allocate(n);
    }
    void deallocate(T* p, std::size_t n) { std::allocator<T>{}.deallocate(p, n); }
    template <class U>
    friend bool operator==(const noting_allocator&, const noting_allocator<U>&) {
        return true;
    }
};

std::vector<node_type> comparable(std::vector<node_type> types) {
    for (node_type& t : types) {
        t.count = 0; // how large arrays become depends on how many were inserted
    }
    std::sort(types.begin(), types.end(),
              [](const node_type& a, const node_type& b) { return a.name < b.name; });
    return types;
}

void compare(const char* what, const std::vector<node_type>& said, const std::vector<node_type>& seen) {
    INFO(std::string{what});
    const auto expected = comparable(seen);
    const auto found = comparable(said);
    CHECK(!expected.empty());
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO(std::string{found[i].name}, " / ", std::string{expected[i].name});
        CHECK(found[i] == expected[i]);
    }
}

template <class Container, class Insert>
void check(const char* what, Insert&& insert) {
    note::all.clear();
    {
        using own = typename std::allocator_traits<typename Container::allocator_type>::value_type;
        typename linn::rebind_container<Container, noting_allocator<own>>::type real;
        for (int i = 0; i < 3000; ++i) {
            insert(real, i);
        }
    }
    compare(what, node_types<Container>(), note::all);
}

constexpr auto back = [](auto& c, int i) {
    c.emplace_back(typename std::decay_t<decltype(c)>::value_type(i));
};
constexpr auto front = [](auto& c, int i) { c.emplace_front(i); };
constexpr auto element = [](auto& c, int i) { c.emplace(i); };
constexpr auto pair = [](auto& c, int i) { c.emplace(i, i); };
constexpr auto push = [](auto& c, int i) {
    c.push_back(static_cast<typename std::decay_t<decltype(c)>::value_type>(i));
};

template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) sized {
    sized(int v) : value{v} {} // NOLINT(google-explicit-constructor)
    friend bool operator<(const sized& a, const sized& b) { return a.value < b.value; }
    friend bool operator==(const sized& a, const sized& b) { return a.value == b.value; }
    union {
        int value;
        char room[Bytes];
    };
};

struct slow_hash { // may throw: libstdc++ then keeps the hash in the node
    template <class T>
    std::size_t operator()(const T& x) const {
        return std::hash<int>{}(x.value);
    }
};
struct quick_hash {
    template <class T>
    std::size_t operator()(const T& x) const noexcept {
        return std::hash<int>{}(x.value);
    }
};

/// Nothing of it may ever be called; most of it cannot.
struct untouchable {
    untouchable() = delete;
    untouchable(const untouchable&) = delete;
    untouchable& operator=(const untouchable&) = delete;
    ~untouchable() { std::abort(); }
    bool operator<(const untouchable&) const { std::abort(); }
    bool operator==(const untouchable&) const { std::abort(); }
    char room[40];
};
struct untouchable_hash {
    std::size_t operator()(const untouchable&) const { std::abort(); }
};

/// Sizes of the ones that come one at a time.
template <class Container>
std::size_t single_size() {
    std::size_t size = 0;
    for (const node_type& t : node_types<Container>()) {
        CHECK(size == 0); // one kind of node
        size = t.single ? t.size : size;
    }
    return size;
}

template <class T>
struct ring_node {
    ring_node* next;
    alignas(T) unsigned char storage[sizeof(T)];
};

template <class T, class Allocator = std::allocator<T>>
class ring { // a container of a user's own, with what node_types asks for
public:
    using value_type = T;
    using allocator_type = Allocator;
    ring() = default;
    explicit ring(const Allocator& a) : allocator_{a} {}
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    ~ring() {
        node_allocator nodes{allocator_};
        while (head_ != nullptr) {
            ring_node<T>* next = head_->next;
            std::allocator_traits<node_allocator>::deallocate(nodes, std::exchange(head_, next), 1);
        }
    }
    template <class... Args>
    void emplace_front(Args&&... args) {
        node_allocator nodes{allocator_};
        ring_node<T>* made = std::allocator_traits<node_allocator>::allocate(nodes, 1);
        std::allocator_traits<Allocator>::construct(allocator_, reinterpret_cast<T*>(made->storage),
                                                    std::forward<Args>(args)...);
        made->next = std::exchange(head_, made);
    }

private:
    using node_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<ring_node<T>>;
    Allocator allocator_;
    ring_node<T>* head_ = nullptr;
};

template <int Tag, class Allocator>
struct odd : std::list<int, Allocator> { // a template of a shape that nobody can know
    using std::list<int, Allocator>::list;
};

} // namespace node_types_tests

template <int Tag, class Own, class Allocator>
struct linn::rebind_container<node_types_tests::odd<Tag, Own>, Allocator> {
    using type = node_types_tests::odd<Tag, Allocator>;
};

namespace node_types_tests {

#define CHECK_CONTAINER(insert, ...) check<__VA_ARGS__>(#__VA_ARGS__, insert)

TEST_CASE_TEMPLATE("node_types: what is said is what happens", T, sized<24, 8>, sized<600, 64>) {
    CHECK_CONTAINER(back, std::list<T>);
    CHECK_CONTAINER(front, std::forward_list<T>);
    CHECK_CONTAINER(element, std::set<T>);
    CHECK_CONTAINER(pair, std::map<int, T>);
    CHECK_CONTAINER(element, std::unordered_set<T, slow_hash>);
    CHECK_CONTAINER(element, std::unordered_set<T, quick_hash>);
    CHECK_CONTAINER(pair, std::unordered_map<int, T>);
    CHECK_CONTAINER(back, std::deque<T>);
    CHECK_CONTAINER(back, std::vector<T>);
}

#ifdef LINN_TEST_BOOST
TEST_CASE("node_types: what is said of containers of Boost is what happens") {
    using T = sized<24, 8>;
    CHECK_CONTAINER(back, boost::container::list<T>);
    CHECK_CONTAINER(front, boost::container::slist<T>);
    CHECK_CONTAINER(element, boost::container::set<T>);
    CHECK_CONTAINER(pair, boost::container::map<int, T>);
    CHECK_CONTAINER(back, boost::container::vector<T>);
    CHECK_CONTAINER(back, boost::container::deque<T>);
    CHECK_CONTAINER(back, boost::container::stable_vector<T>);
    CHECK_CONTAINER(back, boost::container::small_vector<T, 3>);
    CHECK_CONTAINER(pair, boost::container::flat_map<int, T>);
    CHECK_CONTAINER(element, boost::container::flat_set<T>);
    CHECK_CONTAINER(push, boost::container::string);
    CHECK(node_types<boost::container::static_vector<T, 5>>().empty());
}
#endif

TEST_CASE("node_types: arrays of numbers, characters and bits") {
    CHECK_CONTAINER(back, std::vector<int>);
    CHECK_CONTAINER(push, std::vector<bool>);
    CHECK_CONTAINER(push, std::string);
    CHECK_CONTAINER(push, std::u32string);
    check<std::vector<int*>>("pointers", [](auto& c, int) { c.push_back(nullptr); });
    check<std::deque<int*>>("deque of pointers", [](auto& c, int) { c.push_back(nullptr); });
    check<std::deque<char>>("deque of characters",
                            [](auto& c, int) { c.resize(c.size() + 5); }); // many blocks
}

TEST_CASE("node_types: elements are never constructed, compared, hashed or destroyed") {
    using T = untouchable;
    CHECK(single_size<std::list<T>>() >= sizeof(T) + 2 * sizeof(void*));
    CHECK(single_size<std::forward_list<T>>() >= sizeof(T) + sizeof(void*));
    CHECK(single_size<std::set<T>>() >= sizeof(T) + 3 * sizeof(void*));
    CHECK(single_size<std::map<T, T>>() >= 2 * sizeof(T) + 3 * sizeof(void*));
    CHECK(node_types<std::unordered_set<T, untouchable_hash>>().size() == 2);
    CHECK(node_types<std::unordered_multimap<T, T, untouchable_hash>>().size() == 2);
    CHECK(node_types<std::deque<T>>().size() == 2);
    CHECK(single_size<std::vector<T>>() == 0);
    CHECK(node_types<std::map<T, std::unique_ptr<T>>>().size() == 1);
}

TEST_CASE("node_types: names, and what a deque asks for at once") {
    const auto map = node_types<std::map<int, untouchable>>();
    REQUIRE(map.size() == 1);
    CHECK(map[0].name.find("node") != std::string_view::npos);
    CHECK(map[0].name.find("untouchable") != std::string_view::npos);
    CHECK(map[0].name.find("probe_allocator") == std::string_view::npos);
    CHECK(map[0].count == 1);
    bool block = false;
    for (const node_type& t : node_types<std::deque<int>>()) {
        block = block || (t.size == sizeof(int) && t.count * t.size >= 512 && !t.single);
    }
    CHECK(block);
}

TEST_CASE("node_types: whatever the container's own allocator, comparison and adaptor") {
    CHECK(node_types<std::pmr::map<int, int>>() == node_types<std::map<int, int>>());
    CHECK(node_types<std::map<int, int, std::greater<>>>() == node_types<std::map<int, int>>());
    CHECK(node_types<std::list<int, noting_allocator<int>>>() == node_types<std::list<int>>());
    CHECK(node_types<std::stack<int>>() == node_types<std::deque<int>>());
    CHECK(node_types<std::priority_queue<int>>() == node_types<std::vector<int>>());
    CHECK(node_types<std::stack<int, std::list<int>>>() == node_types<std::list<int>>());
}

TEST_CASE("node_types: containers of one's own") {
    check<ring<sized<24, 8>>>("ring", front);
    CHECK(node_types<odd<3, std::allocator<int>>>() == node_types<std::list<int>>());
}

TEST_CASE("node_types: the container that it is asked about is not used") {
    note::all.clear();
    CHECK(node_types<std::list<int, noting_allocator<int>>>().size() == 1);
    CHECK(note::all.empty());
}

} // namespace node_types_tests
