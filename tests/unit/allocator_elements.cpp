// SPDX-License-Identifier: Apache-2.0
// What elements ask of containers over Linn's allocators: that nodes may be a container's private affair, that a type may hold
// containers of itself, that containers in containers get the allocator handed down; and what allocators of one family must
// have in common.
#include "allocator_worlds.hpp"
#include "unit.hpp"

#include <forward_list>
#include <scoped_allocator>

namespace allocator_elements_tests {

using linn_test::identified;
using linn_test::pooled;
using linn_test::pooled_over_resources;
using linn_test::resources;

// --- families of allocators

template <class W, class T>
using allocator_in = typename W::template allocator<T>;

struct unknown; // never defined: an allocator may be named, made and compared all the same

template <class W>
constexpr bool is_family = [] {
    using a = allocator_in<W, int>;
    using traits = std::allocator_traits<a>;
    using b = typename traits::template rebind_alloc<unknown>;
    return std::is_same_v<typename std::allocator_traits<b>::template rebind_alloc<int>, a> &&
           std::is_same_v<typename std::allocator_traits<b>::value_type, unknown> &&
           std::is_convertible_v<const b&, a> && std::is_convertible_v<const a&, b> &&
           std::is_nothrow_constructible_v<a, const b&> && std::is_nothrow_copy_constructible_v<a> &&
           std::is_nothrow_move_constructible_v<a> &&
           requires(const a& x, const b& y) { x == y&& y == x && !(x != y); } &&
           traits::is_always_equal::value == std::allocator_traits<b>::is_always_equal::value &&
           traits::propagate_on_container_swap::value ==
               std::allocator_traits<b>::propagate_on_container_swap::value;
}();
static_assert(is_family<pooled> && is_family<identified<false>> && is_family<identified<true>>);
static_assert(is_family<resources> && is_family<pooled_over_resources>);

// Those of other options, or of an upstream that cannot be made from theirs, are strangers.
using usual = linn::allocator<int>;
using other_options = linn::allocator<int, std::allocator<int>, linn::pool_options{.magazine_slots = 3}>;
static_assert(!std::is_constructible_v<usual, const other_options&>);
static_assert(!std::is_constructible_v<usual, const allocator_in<resources, int>&>);
static_assert(!std::is_constructible_v<allocator_in<identified<true>, int>, const usual&>);
static_assert(!std::is_convertible_v<std::allocator<int>, usual>);

// void stands for any type in type-erased interfaces.
static_assert(std::is_same_v<std::allocator_traits<linn::allocator<void>>::rebind_alloc<int>, usual>);
static_assert(usual(linn::allocator<void>{}) == usual{});

// A class derived from it is copied as itself.
template <class T>
struct derived : linn::allocator<T> {
    template <class U>
    struct rebind {
        using other = derived<U>;
    };
    derived() = default;
    template <class U>
    derived(const derived<U>&) noexcept {}
};
static_assert(
    std::is_same_v<
        decltype(std::allocator_traits<derived<int>>::select_on_container_copy_construction(derived<int>{})),
        derived<int>>);

/// A container whose nodes nobody else may name, make or destroy.
template <class T, class Allocator>
class stack {
    class alignas(64) node {
        friend stack;
        explicit node(node* below, T v) : below_{below}, value_{std::move(v)} {}
        ~node() = default;
        node* below_;
        T value_;
    };
    using node_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<node>;

public:
    explicit stack(const Allocator& a) : allocator_{a} {}
    stack(const stack&) = delete;
    stack& operator=(const stack&) = delete;
    ~stack() {
        while (top_ != nullptr) {
            pop();
        }
    }
    void push(T v) {
        node* n = std::allocator_traits<node_allocator>::allocate(allocator_, 1);
        aligned = aligned && reinterpret_cast<std::uintptr_t>(n) % 64 == 0;
        top_ = ::new (static_cast<void*>(n)) node{top_, std::move(v)};
    }
    T pop() {
        node* n = top_;
        top_ = n->below_;
        T v = std::move(n->value_);
        n->~node();
        std::allocator_traits<node_allocator>::deallocate(allocator_, n, 1);
        return v;
    }
    bool aligned = true;

private:
    [[no_unique_address]] node_allocator allocator_;
    node* top_ = nullptr;
};

// --- types that hold containers of themselves

template <class W>
struct tree {
    explicit tree(W& w)
        : children(w.template first<tree>()),
          siblings(w.template second<tree>()),
          heirs(w.template first<tree>()) {}
    std::vector<tree, allocator_in<W, tree>> children;
    std::list<tree, allocator_in<W, tree>> siblings;
    std::forward_list<tree, allocator_in<W, tree>> heirs;

    void grow(W& w, int depth) {
        for (int i = 0; i < depth; ++i) {
            children.emplace_back(w).grow(w, depth - 1);
            siblings.emplace_back(w).grow(w, depth - 1);
            heirs.emplace_front(w).grow(w, depth - 1);
        }
    }
    [[nodiscard]] int size() const {
        int n = 1;
        const auto add = [&n](const auto& all) {
            for (const tree& t : all) {
                n += t.size();
            }
        };
        add(children);
        add(siblings);
        add(heirs);
        return n;
    }
};

TEST_CASE_TEMPLATE("allocator elements: nodes that are a container's private affair", W, pooled,
                   identified<false>, resources) {
    W w;
    const std::size_t before = w.live();
    {
        stack<std::string, allocator_in<W, std::string>> s{w.template first<std::string>()};
        for (int i = 0; i < 200; ++i) {
            s.push(std::to_string(i));
        }
        CHECK(w.live() == before + 200);
        CHECK(s.pop() == "199");
        CHECK(s.aligned);
    }
    CHECK(w.live() == before);
}

TEST_CASE_TEMPLATE("allocator elements: a type that holds containers of itself", W, pooled, identified<true>,
                   resources, pooled_over_resources) {
    W w;
    const std::size_t before = w.live();
    {
        tree<W> root{w};
        root.grow(w, 3);
        CHECK(root.size() == 1 + 9 * (1 + 6 * (1 + 3)));
        const tree<W> copy = root;
        CHECK(copy.size() == root.size());
        tree<W> moved = std::move(root);
        CHECK(moved.size() == copy.size());
        moved.children = copy.children;
        auto taken = std::move(moved.siblings.front().siblings);
        moved.siblings = std::move(taken); // a subtree takes the place of what held it
        CHECK(moved.size() > 1);
    }
    CHECK(w.live() == before);
}

TEST_CASE_TEMPLATE("allocator elements: handed down through containers in containers", W, identified<false>,
                   identified<true>, pooled_over_resources) {
    W w;
    const std::size_t before = w.live();
    {
        using text = std::basic_string<char, std::char_traits<char>, allocator_in<W, char>>;
        using row = std::vector<text, std::scoped_allocator_adaptor<allocator_in<W, text>>>;
        using entry = std::pair<const int, row>;
        using table =
            std::map<int, row, std::less<int>, std::scoped_allocator_adaptor<allocator_in<W, entry>>>;
        const auto x = w.template first<char>();
        const auto y = w.template second<char>();
        const auto house = [](const table& t) -> decltype(auto) { return t.at(5).at(1).get_allocator(); };
        table one{typename table::allocator_type{allocator_in<W, entry>{x}}};
        for (int i = 0; i < 20; ++i) {
            one[i].emplace_back("a text that is too long to lie in the string");
            one[i].push_back(text(100, 'x', y));
        }
        CHECK(house(one) == x);
        table two(one, typename table::allocator_type{allocator_in<W, entry>{y}});
        CHECK(two == one);
        CHECK(house(two) == y);
        table three(std::move(two), one.get_allocator());
        CHECK(three == one);
        CHECK(house(three) == x);
    }
    CHECK(w.live() == before);
}

} // namespace allocator_elements_tests
