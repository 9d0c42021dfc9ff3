// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <linn/allocator.hpp>
#include <linn/pooled.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace linn::tool::worker {

// Containers of a policy, which is a class with `template <class T> static auto allocator()`: the standard allocator of `T`
// to give to a container.
template <class Policy>
auto unordered_set_of() {
    auto from = Policy::template allocator<int>();
    return std::unordered_set<int, std::hash<int>, std::equal_to<int>, decltype(from)>{from};
}
template <class Policy>
auto map_of() {
    auto from = Policy::template allocator<std::pair<const int, int>>();
    return std::map<int, int, std::less<int>, decltype(from)>{from};
}
template <class Policy>
auto list_of() {
    auto from = Policy::template allocator<int>();
    return std::list<int, decltype(from)>{from};
}

/// One of the standard library's pool resources, with default options, over `new_delete_resource`.
template <class Resource>
struct pmr_policy {
    static Resource& resource() {
        static auto& all = *new Resource{std::pmr::new_delete_resource()};
        return all;
    }
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        return &resource();
    }
};

/// The data of a measured object: the constructor writes the first word and leaves the rest alone, so that the
/// allocation is what is measured and not a fill.
template <std::size_t Bytes>
struct payload {
    explicit payload(std::uint64_t id) noexcept : id_{id} {}

private:
    std::uint64_t id_;
    std::byte rest_[Bytes - sizeof(std::uint64_t)];
};

// The ways of getting memory of the scenarios `object` and `containers` have also `template <std::size_t Bytes> struct object`: a
// class of that size, constructible from an integer, whose `new` and `delete` are measured.

/// The general allocator that the process was started with.
struct standard_policy {
    template <class T>
    static std::allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;
    };
};

/// Linn as a user meets it: the allocator in a container, the base class for an object.
struct linn_policy {
    template <class T>
    static linn::allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes>, linn::pooled<object<Bytes>> {
        using payload<Bytes>::payload;
    };
};

/// One pass of "many": all live, then all freed in the order of allocation. Returns cycles a pair.
template <class Object>
phase many_pass(mapped_array<Object*>& objects) {
    const stopwatch watch;
    for (std::size_t i = 0; i != objects.size(); ++i) {
        Object* p = new Object(i);
        escape(p);
        objects[i] = p;
    }
    for (Object* p : objects) {
        delete p;
    }
    return watch.finish("many", objects.size());
}

/// Allocates one object and frees it at once, again and again.
template <class Object>
phase hot_pass(std::size_t pairs) {
    const stopwatch watch;
    for (std::size_t i = 0; i != pairs; ++i) {
        Object* p = new Object(i);
        escape(p);
        delete p;
    }
    return watch.finish("hot_pair", pairs);
}

/// The scenario `object` for one policy: first pass (fresh memory), the median of many later passes, and the median of hot pairs.
template <class Policy>
outcome run_object(const options& o) {
    using object = typename Policy::template object<64>;
    mapped_array<object*> objects{o.alive(100'000)};
    phase first = many_pass(objects);
    first.name = "first";
    std::array<phase, 15> many;
    std::ranges::generate(many, [&] { return many_pass(objects); });
    std::array<phase, 15> hot;
    hot_pass<object>(objects.size());
    std::ranges::generate(hot, [&] { return hot_pass<object>(objects.size()); });

    outcome result;
    result.work_check = objects.size();
    result.phases = {first, median_pass(many), median_pass(hot)};
    return result;
}

/// What inserting integers, erasing them and inserting them again took.
struct churned {
    std::array<phase, 3> steps;
    std::size_t elements; ///< after an insertion
    bool is_whole;        ///< nothing stayed when all were erased, and as many came again
};

/// Inserts all keys, erases those at the places that `victims` gives, all of them in some order, and inserts all again.
template <class C, class Victims>
churned churn(C& c, mapped_array<int>& keys, Victims&& victims) {
    churned result{};
    const auto take_steps = [&](const auto& insert, const auto& erase) {
        const auto time = [&](const auto& operation) {
            const stopwatch watch;
            operation();
            return watch.finish({}, keys.size());
        };
        result.steps[0] = time(insert);
        result.elements = c.size();
        result.steps[1] = time(erase);
        result.is_whole = c.empty();
        result.steps[2] = time(insert);
        result.is_whole = result.is_whole && c.size() == result.elements;
    };
    if constexpr (requires { c.push_back(0); }) { // a list finds what it erases by iterator
        mapped_array<typename C::iterator> places{keys.size()};
        const auto insert = [&] {
            std::ranges::transform(keys, places.begin(), [&](int key) { return c.insert(c.end(), key); });
        };
        take_steps(insert, [&] {
            for (const auto i : victims) {
                c.erase(places[i]);
            }
        });
    } else {
        const auto insert = [&] {
            for (const int key : keys) {
                if constexpr (requires { typename C::mapped_type; }) {
                    c.emplace(key, key);
                } else {
                    c.insert(key);
                }
            }
        };
        take_steps(insert, [&] {
            for (const auto i : victims) {
                c.erase(keys[i]);
            }
        });
    }
    return result;
}

/// The three phases of the published scenario on one container, which erases in the order of insertion.
template <class C>
outcome run_phases(C container, mapped_array<int>& values) {
    const churned all = churn(container, values, std::views::iota(std::size_t{0}, values.size()));
    outcome result;
    result.work_check = all.elements;
    if (!all.is_whole) {
        result.error = "not all elements were erased, or not as many came again";
    }
    for (std::size_t step = 0; step != all.steps.size(); ++step) {
        constexpr const char* names[] = {"insert", "erase", "insert_again"};
        result.phases.push_back(all.steps[step]);
        result.phases.back().name = names[step];
    }
    return result;
}

/// The scenario `containers` for one policy.
template <class Policy>
outcome run_containers(const options& o) {
    mapped_array<int> values{o.alive(1'000'000)};
    std::generate(values.begin(), values.end(), published_integers{});
    if (o.container == "unordered_set") {
        return run_phases(unordered_set_of<Policy>(), values);
    }
    if (o.container == "set") {
        auto integers = Policy::template allocator<int>();
        return run_phases(std::set<int, std::less<int>, decltype(integers)>(integers), values);
    }
    if (o.container == "list") {
        return run_phases(list_of<Policy>(), values);
    }
    if (o.container == "map") {
        return run_phases(map_of<Policy>(), values);
    }
    outcome unknown;
    unknown.error = "no container named " + o.container;
    return unknown;
}

} // namespace linn::tool::worker
