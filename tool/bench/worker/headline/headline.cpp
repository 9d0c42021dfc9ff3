// SPDX-License-Identifier: Apache-2.0
// The scenario headline: what programs do, as a program without pools writes it and with Linn.
#include "../measure.hpp"
#include "../pools.hpp"
#include "../works.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace linn::tool::worker {
namespace {

/// A list of many nodes that is built, walked and freed in random order, again and again. An operation is one node.
template <class Allocator>
phase reused_list(std::size_t nodes, Allocator allocator) {
    constexpr std::size_t rounds = 6;
    step_report<std::size(reuse_steps)> report{};
    measure_reuse(nodes, rounds, node_list<Allocator>{nodes, allocator}, report);
    constexpr std::size_t sum = std::size(reuse_steps) - 1;
    return {"reuse", report.cycles[sum], report.faults[sum], {}};
}

/// The scenario for `Ways`: a policy of pools.hpp that also has ways of works.hpp to make shared objects, and buffers. One thread
/// comes first: the process then never had a second one.
template <class Ways>
outcome run_headline(const options& o) {
    using object = typename Ways::template object<64>;
    using line = plain_block<std::size_t{8} << 20>;
    const std::size_t operations = (o.scaled(409'600) + burst - 1) / burst * burst;
    const std::size_t fewer = (operations / 4 + burst - 1) / burst * burst; // of the slower work

    outcome result;
    result.work_check = operations;
    const auto add = [&](const char* name, unsigned threads, std::size_t count, const auto& make,
                         passes how = {}) { add_passes(result, name, threads, count, make, how); };
    const auto hot_objects = [] { return &hot_pairs<object>; };
    // A million objects at once. The first pass takes fresh memory and warms up.
    mapped_array<object*> million{o.alive(1'000'000)};

    // A set into which integers are inserted, and erased in the same order, again and again. An operation is one integer.
    mapped_array<int> many_integers{100'000};
    mapped_array<int> few_integers{10'000};
    fill_with_published_integers(many_integers);
    fill_with_published_integers(few_integers);
    const auto sets = [](mapped_array<int>& values) {
        return [&values] {
            return [&values, set = unordered_set_of<Ways>()](std::size_t count) mutable {
                for (std::size_t done = 0; done < count; done += values.size()) {
                    for (const int v : values) {
                        set.insert(v);
                    }
                    for (const int v : values) {
                        set.erase(v);
                    }
                }
            };
        };
    };

    // Two threads: each allocates a batch, then frees the batch of the other.
    spin_barrier both{2};
    std::atomic<unsigned> sides{0};
    std::array<std::array<object*, 256>, 2> batches{};
    const auto exchange = [&] {
        return [&, side = sides++](std::size_t count) {
            for (std::size_t done = 0; done < count; done += batches[side].size()) {
                for (object*& p : batches[side]) {
                    p = new object(done);
                    escape(p);
                }
                both.wait(); // both batches are full
                for (object* p : batches[1 - side]) {
                    delete p;
                }
                both.wait(); // both are free
            }
        };
    };

    add("hot", 1, operations, hot_objects);
    add("million", 1, million.size(), [&] { return many(million); }, {1});
    add("shared_hot", 1, operations, hot<Ways::shared>);
    add("shared_burst", 1, fewer, bursts<Ways::shared>);
    add("set", 1, many_integers.size(), sets(many_integers));
    result.phases.push_back(reused_list(o.alive(30'000), Ways::template allocator<list_node>()));
    add("buffer_shared", 1, o.scaled(4) + 1, creates<Ways::shared_buffer, line>);
    add("buffer_new", 1, o.scaled(800) + 1, creates<Ways::buffer, line>);
    add("two_hot", 2, operations, hot_objects);
    add("two_remote", 2, fewer, exchange);
    add("two_burst", 2, fewer, bursts<Ways::shared>);
    add("two_set", 2, (o.scaled(12) + 1) * few_integers.size(), sets(few_integers));
    return result;
}

/// What a program without pools writes. The general allocator is the one that the process was started with.
struct usual_ways : standard_policy {
    static constexpr auto shared = std_make_shared;
    static constexpr auto shared_buffer = std_make_shared;
    static constexpr auto buffer = new_array;
};

/// The same with Linn's pools instead.
struct linn_ways : linn_policy {
    static constexpr auto shared = linn_make_shared;
    static constexpr auto shared_buffer = linn_buffer_shared;
    static constexpr auto buffer = linn_buffer;
};

constexpr variant all[] = {{"headline", "usual", &run_headline<usual_ways>},
                           {"headline", "linn", &run_headline<linn_ways>}};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
