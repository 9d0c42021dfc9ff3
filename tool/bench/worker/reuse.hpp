// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace linn::tool::worker {

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
    const shared_report<step_report<Steps>> report;
    if (std::string problem = run_apart([&] { return work(*report); }); result.error.empty()) {
        result.error = std::move(problem);
    }
    for (std::size_t step = 0; step != Steps; ++step) {
        result.phases.push_back({name + '_' + steps[step], report->cycles[step], report->faults[step], {}});
    }
    result.peak_rss_bytes = std::max(result.peak_rss_bytes, report->peak_bytes);
    result.work_check += report->elements;
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
