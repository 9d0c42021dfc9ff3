// SPDX-License-Identifier: Apache-2.0
// The scenario headline: what programs do, as a program without pools writes it and with Linn.
#include "../measure.hpp"
#include "../pools.hpp"
#include "../works.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

namespace linn::tool::worker {
namespace {

/// Two threads: each allocates a batch, then frees the batch of the other.
template <class Object>
class exchange {
public:
    /// The body of one of the two.
    auto body() {
        return [this, side = sides_.fetch_add(1, std::memory_order_relaxed)](std::size_t operations) {
            run(side, operations);
        };
    }

private:
    static constexpr std::size_t batch = 256;

    void run(unsigned side, std::size_t operations) {
        for (std::size_t done = 0; done < operations; done += batch) {
            for (Object*& p : batches_[side]) {
                p = new Object(done);
                escape(p);
            }
            barrier_.wait(); // both batches are full
            for (Object* p : batches_[1 - side]) {
                delete p;
            }
            barrier_.wait(); // both are free
        }
    }

    spin_barrier barrier_{2};
    std::atomic<unsigned> sides_{0};
    std::array<std::array<Object*, batch>, 2> batches_{};
};

/// A set into which integers are inserted, and erased in the same order, again and again. An operation is one integer.
template <class Ways>
class integer_set {
public:
    /// @pre `values` outlives it
    explicit integer_set(mapped_array<int>& values) : values_{&values} {}

    void run(std::size_t operations) {
        for (std::size_t done = 0; done < operations; done += values_->size()) {
            for (const int v : *values_) {
                set_.insert(v);
            }
            for (const int v : *values_) {
                set_.erase(v);
            }
        }
    }

private:
    using allocator = decltype(Ways::template allocator<int>());

    mapped_array<int>* values_;
    std::unordered_set<int, std::hash<int>, std::equal_to<int>, allocator> set_{
        Ways::template allocator<int>()};
};

void fill_with_integers(mapped_array<int>& values) {
    published_integers generate;
    std::generate(values.begin(), values.end(), std::ref(generate));
}

/// A million objects at once. The first pass takes fresh memory and warms up.
template <class Object>
phase million_objects(std::size_t objects) {
    mapped_array<Object*> live{objects};
    many_pass(live);
    phase second = many_pass(live);
    second.name = "million";
    return second;
}

/// A list of many nodes that is built, walked and freed in random order, again and again. An operation is one node.
template <class Allocator>
phase reused_list(std::size_t nodes, Allocator allocator) {
    constexpr std::size_t rounds = 6;
    step_report<std::size(reuse_steps)> report{};
    measure_reuse(nodes, rounds, node_list<Allocator>{nodes, allocator}, report);
    constexpr std::size_t sum = std::size(reuse_steps) - 1;
    return {"reuse", report.cycles[sum], report.faults[sum], {}};
}

/// The scenario for `Ways`: a policy of pools.hpp that also has `shared`, a way of works.hpp, and the templates `shared_buffer` and
/// `buffer`, sources of it. One thread comes first: the process then never had a second one.
template <class Ways>
outcome run_headline(const options& o) {
    using object = typename Ways::template object<64>;
    constexpr std::size_t line = std::size_t{8} << 20;
    const std::size_t operations = (o.scaled(409'600) + burst - 1) / burst * burst;
    const std::size_t fewer = (operations / 4 + burst - 1) / burst * burst; // of the slower work

    outcome result;
    result.work_check = operations;
    const auto add = [&](const char* name, unsigned threads, std::size_t count, const auto& make) {
        add_passes(result, name, threads, count, make);
    };
    const auto hot = [] { return [](std::size_t n) { hot_pass<object>(n); }; };
    const auto shared_hot = [] {
        return [way = typename Ways::shared{}](std::size_t n) mutable { hot_loop(way, n); };
    };
    const auto bursts = [] {
        return [way = typename Ways::shared{}](std::size_t n) mutable { burst_loop(way, n); };
    };
    const auto buffers = [](auto source) {
        return [source] {
            return [mine = source](std::size_t n) mutable { buffer_loop<use::untouched>(mine, n, line); };
        };
    };
    mapped_array<int> many{100'000};
    mapped_array<int> few{10'000};
    fill_with_integers(many);
    fill_with_integers(few);
    const auto sets = [](mapped_array<int>& values) {
        return [&values] { return [set = integer_set<Ways>{values}](std::size_t n) mutable { set.run(n); }; };
    };
    exchange<object> between_threads;

    add("hot", 1, operations, hot);
    result.phases.push_back(million_objects<object>(o.alive(1'000'000)));
    add("shared_hot", 1, operations, shared_hot);
    add("shared_burst", 1, fewer, bursts);
    add("set", 1, many.size(), sets(many));
    result.phases.push_back(reused_list(o.alive(30'000), Ways::template allocator<list_node>()));
    add("buffer_shared", 1, o.scaled(4) + 1, buffers(typename Ways::template shared_buffer<line>{}));
    add("buffer_new", 1, o.scaled(800) + 1, buffers(typename Ways::template buffer<line>{}));
    add("two_hot", 2, operations, hot);
    add("two_remote", 2, fewer, [&] { return between_threads.body(); });
    add("two_burst", 2, fewer, bursts);
    add("two_set", 2, (o.scaled(12) + 1) * few.size(), sets(few));
    return result;
}

/// What a program without pools writes. The general allocator is the one that the process was started with.
struct usual_ways : standard_policy {
    using shared = make_shared_way;
    template <std::size_t Bytes>
    using shared_buffer = make_shared_object<Bytes>;
    template <std::size_t Bytes>
    using buffer = new_array<Bytes>;
};

/// The same with Linn's pools instead.
struct linn_ways : linn_policy {
    using shared = linn_make_shared_way;
    template <std::size_t Bytes>
    using shared_buffer = pool_shared<Bytes>;
    template <std::size_t Bytes>
    using buffer = pool_handle<Bytes>;
};

constexpr variant all[] = {{"headline", "usual", &run_headline<usual_ways>},
                           {"headline", "linn", &run_headline<linn_ways>}};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
