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

/// All objects live, then all are freed in the order of allocation; again and again.
template <class Object>
auto many(mapped_array<Object*>& objects) {
    return [live = std::span{objects.begin(), objects.size()}](std::size_t pairs) {
        for (std::size_t done = 0; done != pairs; done += live.size()) {
            for (std::size_t i = 0; i != live.size(); ++i) {
                Object* p = new Object(i);
                escape(p);
                live[i] = p;
            }
            for (Object* p : live) {
                delete p;
            }
        }
    };
}

/// Allocates one object and frees it at once, again and again.
template <class Object>
void hot_pairs(std::size_t pairs) {
    for (std::size_t i = 0; i != pairs; ++i) {
        Object* p = new Object(i);
        escape(p);
        delete p;
    }
}

/// The scenario `object` for one policy: first pass (fresh memory), the median of many later passes, and the median of hot pairs.
template <class Policy>
outcome run_object(const options& o) {
    using object = typename Policy::template object<64>;
    mapped_array<object*> objects{o.alive(100'000)};
    const std::size_t pairs = objects.size();
    outcome result;
    result.work_check = pairs;
    const auto all = [&] { return many(objects); };
    add_passes(result, "first", 1, pairs, all, one_cold_pass);
    add_passes(result, "many", 1, pairs, all, {15, false});
    add_passes(result, "hot_pair", 1, pairs, [] { return &hot_pairs<object>; }, {15});
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
    constexpr bool is_list = requires { c.push_back(0); };
    mapped_array<typename C::iterator> places{is_list ? keys.size() : 0}; // by which a list erases
    const auto insert = [&] {
        auto* place = places.begin();
        for (const int key : keys) {
            if constexpr (is_list) {
                *place++ = c.insert(c.end(), key);
            } else if constexpr (requires { typename C::mapped_type; }) {
                c.emplace(key, key);
            } else {
                c.insert(key);
            }
        }
    };
    const auto erase = [&] {
        for (const auto i : victims) {
            if constexpr (is_list) {
                c.erase(places[i]);
            } else {
                c.erase(keys[i]);
            }
        }
    };
    const auto time = [&](const auto& operation) {
        const stopwatch watch;
        operation();
        return watch.finish({}, keys.size());
    };
    churned result{};
    result.steps[0] = time(insert);
    result.elements = c.size();
    result.steps[1] = time(erase);
    result.is_whole = c.empty();
    result.steps[2] = time(insert);
    result.is_whole = result.is_whole && c.size() == result.elements;
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
    fill_with_published_integers(values);
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

/// What a process says to its parent of the steps of one structure.
template <std::size_t Steps>
struct step_report {
    double cycles[Steps]; ///< an operation
    double faults[Steps];
    std::uint64_t peak_bytes;
    std::size_t elements; ///< what every contender must agree on
};

/// Runs `work(report)` in a process of its own, so that it finds no memory that another one left, and adds a phase for each step.
/// The work returns whether it ended well.
template <std::size_t Steps, class Work>
void add_steps_apart(outcome& result, const std::string& name, const char* const (&steps)[Steps],
                     const Work& work) {
    mapped_array<step_report<Steps>> shared{1, MAP_SHARED};
    step_report<Steps>& report = shared[0];
    if (std::string problem = run_apart([&] { return work(report); }); result.error.empty()) {
        result.error = std::move(problem);
    }
    for (std::size_t step = 0; step != Steps; ++step) {
        result.phases.push_back({name + '_' + steps[step], report.cycles[step], report.faults[step], {}});
    }
    result.peak_rss_bytes = std::max(result.peak_rss_bytes, report.peak_bytes);
    result.work_check += report.elements;
}

/// The timed steps of a round, and the three together.
inline constexpr const char* reuse_steps[] = {"build", "walk", "free", "sum"};

struct list_node {
    list_node* next;
    long value[5];
};
static_assert(sizeof(long) != 8 || sizeof(list_node) == 48);

/// A list as C programs write it.
template <class Allocator>
class node_list {
public:
    node_list(std::size_t n, Allocator allocator) : nodes_{n}, allocator_{allocator} {}

    void build() {
        long i = 0;
        for (list_node*& place : nodes_) {
            auto* const p = ::new (static_cast<void*>(traits::allocate(allocator_, 1))) list_node;
            p->next = head_;
            p->value[0] = i++;
            head_ = place = p;
        }
    }
    std::size_t walk() const {
        std::size_t total = 0;
        for (const list_node* p = head_; p != nullptr; p = p->next) {
            total += static_cast<std::size_t>(p->value[0]);
        }
        return total;
    }
    void release() {
        for (list_node* const p : nodes_) {
            traits::deallocate(allocator_, p, 1);
        }
        head_ = nullptr;
    }

    void shuffle(std::mt19937_64& random) { std::shuffle(nodes_.begin(), nodes_.end(), random); }
    bool empty() const noexcept { return head_ == nullptr; }

private:
    using traits = std::allocator_traits<Allocator>;

    mapped_array<list_node*> nodes_;
    [[no_unique_address]] Allocator allocator_;
    list_node* head_ = nullptr;
};

/// Builds the structure, walks it four times and frees its nodes in random order; again and again in the same memory. Keeps the
/// least of each step, without the first round, which takes fresh memory. @returns whether all nodes were freed
template <class Structure>
bool measure_reuse(std::size_t n, std::size_t rounds, Structure structure,
                   step_report<std::size(reuse_steps)>& report) {
    constexpr std::size_t walks = 4;
    constexpr std::size_t sum = std::size(reuse_steps) - 1;
    std::mt19937_64 random{11};
    std::size_t total = 0;
    for (std::size_t round = 0; round <= rounds; ++round) {
        const auto time = [&](std::size_t step, std::size_t operations, auto work) {
            const stopwatch watch;
            work();
            const phase p = watch.finish({}, operations);
            if (round <= 1 || p.cycles_per_operation < report.cycles[step]) {
                report.cycles[step] = p.cycles_per_operation;
                report.faults[step] = p.faults_per_operation;
            }
        };
        time(0, n, [&] { structure.build(); });
        time(1, walks * n, [&] {
            for (std::size_t i = 0; i != walks; ++i) {
                total += structure.walk();
                escape(&total);
            }
        });
        structure.shuffle(random);
        time(2, n, [&] { structure.release(); });
    }
    for (std::size_t step = 0; step != sum; ++step) {
        report.cycles[sum] += report.cycles[step];
        report.faults[sum] += report.faults[step];
    }
    report.elements = total;
    report.peak_bytes = peak_rss_bytes();
    return structure.empty();
}

} // namespace linn::tool::worker
