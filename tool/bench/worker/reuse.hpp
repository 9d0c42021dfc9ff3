// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../inputs.hpp"
#include "apart.hpp"
#include "mapped_array.hpp"
#include "variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

namespace linn::tool::worker {

/// The timed steps of a round, and the three together.
inline constexpr const char* reuse_steps[] = {"build", "walk", "free", "sum"};

/// What one structure at one size says to its parent.
struct reuse_report {
    bool complete;
    double cycles[std::size(reuse_steps)]; ///< a node
    double faults[std::size(reuse_steps)];
    std::uint64_t peak_bytes;
    std::size_t elements;
};

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

/// A map from each of n integers to itself.
template <class Map>
class integer_map {
public:
    integer_map(std::size_t n, typename Map::allocator_type allocator) : keys_{n}, map_{allocator} {
        std::generate(keys_.begin(), keys_.end(), published_integers{});
    }

    void build() {
        for (const int key : keys_) {
            map_.emplace(key, key);
        }
    }
    std::size_t walk() const {
        std::size_t total = 0;
        for (const auto& element : map_) {
            total += static_cast<std::size_t>(element.second);
        }
        return total;
    }
    void release() {
        for (const int key : keys_) {
            map_.erase(key);
        }
    }

    void shuffle(std::mt19937_64& random) { std::shuffle(keys_.begin(), keys_.end(), random); }
    bool empty() const noexcept { return map_.empty(); }

private:
    mapped_array<int> keys_;
    Map map_;
};

/// Builds the structure, walks it four times and frees its nodes in random order; again and again in the same memory. Keeps the
/// least of each step, without the first round, which takes fresh memory.
template <class Structure>
void measure_reuse(std::size_t n, std::size_t rounds, Structure structure, reuse_report& report) {
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
    report.complete = structure.empty();
}

/// The scenario reuse for one way: `Way::allocator<T>()` is the allocator of everything. Each structure and size has a process of
/// its own, so that none finds memory that another one left.
template <class Way>
outcome run_reuse(const options& o) {
    struct amount {
        const char* name;
        std::size_t n;
    };
    using pairs = decltype(Way::template allocator<std::pair<const int, int>>());
    using nodes = decltype(Way::template allocator<list_node>());

    outcome result;
    result.waits = true;
    const auto measure = [&]<class Structure, class Allocator>(const char* kind) {
        for (const amount& size :
             {amount{"3k", 3'000}, amount{"10k", 10'000}, amount{"30k", 30'000}, amount{"100k", 100'000}}) {
            const std::size_t n = o.alive(size.n);
            const std::size_t rounds = std::clamp<std::size_t>(o.scaled(1'000'000) / n, 3, 12);
            const shared_report<reuse_report> report;
            result.error += run_apart([&] {
                using value = typename Allocator::value_type;
                measure_reuse(n, rounds, Structure{n, Way::template allocator<value>()}, *report);
            });
            if (!report->complete && result.error.empty()) {
                result.error = "it ended before its time";
            }
            for (std::size_t step = 0; step != std::size(reuse_steps); ++step) {
                result.phases.push_back({std::string{kind} + '_' + size.name + '_' + reuse_steps[step],
                                         report->cycles[step],
                                         report->faults[step],
                                         {}});
            }
            result.peak_rss_bytes = std::max(result.peak_rss_bytes, report->peak_bytes);
            result.work_check += report->elements;
        }
    };
    measure.template operator()<node_list<nodes>, nodes>("list");
    measure.template operator()<integer_map<std::map<int, int, std::less<int>, pairs>>, pairs>("map");
    measure.template
    operator()<integer_map<std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, pairs>>, pairs>(
        "unordered_map");
    return result;
}

} // namespace linn::tool::worker
