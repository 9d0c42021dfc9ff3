// SPDX-License-Identifier: Apache-2.0
// The scenarios reuse and containers-shuffled: structures whose elements are freed in random order.
#include "reuse.hpp"

#include "measure.hpp"
#include "pools.hpp"

#include <linn/memory_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace linn::tool::worker {
namespace {

using unsynchronized_policy = pmr_policy<std::pmr::unsynchronized_pool_resource>;

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

/// The scenario reuse for one way: `Way::allocator<T>()` is the allocator of everything. Each structure and size has a process of
/// its own.
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
            add_steps_apart(result, std::string{kind} + '_' + size.name, reuse_steps, [&](auto& report) {
                using value = typename Allocator::value_type;
                return measure_reuse(n, rounds, Structure{n, Way::template allocator<value>()}, report);
            });
        }
    };
    measure.template operator()<node_list<nodes>, nodes>("list");
    measure.template operator()<integer_map<std::map<int, int, std::less<int>, pairs>>, pairs>("map");
    measure.template
    operator()<integer_map<std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, pairs>>, pairs>(
        "unordered_map");
    return result;
}

struct from_resource {
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        std::pmr::memory_resource* all = default_pool_resource();
        asm volatile("" : "+r"(all)); // the compiler does not know which resource it is
        return all;
    }
};

constexpr const char* container_steps[] = {"insert", "erase", "again"};

/// Inserts all, erases them in random order, inserts them again. The figures are the median of `repetitions`, each on a new
/// container. Integers and order are the same for every contender.
template <class Make>
bool measure_container(std::size_t n, std::size_t repetitions, const Make& make,
                       step_report<std::size(container_steps)>& report) {
    mapped_array<int> keys{n};
    std::generate(keys.begin(), keys.end(), published_integers{});
    mapped_array<std::uint32_t> victims{n};
    std::iota(victims.begin(), victims.end(), std::uint32_t{0});
    std::shuffle(victims.begin(), victims.end(), std::mt19937_64{11});
    std::vector<phase> steps[std::size(container_steps)];
    bool is_whole = true;
    for (std::size_t r = 0; r != repetitions; ++r) {
        auto c = make();
        const churned one = churn(c, keys, victims);
        for (std::size_t step = 0; step != one.steps.size(); ++step) {
            steps[step].push_back(one.steps[step]);
        }
        report.elements = one.elements;
        is_whole = is_whole && one.is_whole;
    }
    for (std::size_t step = 0; step != std::size(container_steps); ++step) {
        const phase p = median_pass(steps[step]);
        report.cycles[step] = p.cycles_per_operation;
        report.faults[step] = p.faults_per_operation;
    }
    report.peak_bytes = peak_rss_bytes();
    return is_whole;
}

/// The scenario containers-shuffled for one policy of pools.hpp. Each kind and size has a process of its own.
template <class Policy>
outcome run_shuffled(const options& o) {
    struct amount {
        const char* name;
        std::size_t n;
    };
    outcome result;
    result.waits = true;
    const auto measure = [&](const char* kind, const amount& size, auto make) {
        const std::size_t n = o.alive(size.n);
        const std::size_t repetitions = std::max<std::size_t>(o.scaled(400'000) / n, 1);
        add_steps_apart(result, std::string{kind} + '_' + size.name, container_steps,
                        [&](auto& report) { return measure_container(n, repetitions, make, report); });
    };
    for (const amount& size : {amount{"10k", 10'000}, amount{"100k", 100'000}, amount{"1m", 1'000'000}}) {
        measure("set", size, [] { return unordered_set_of<Policy>(); });
        measure("map", size, [] { return map_of<Policy>(); });
        measure("list", size, [] { return list_of<Policy>(); });
    }
    return result;
}

constexpr variant all[] = {
    {"reuse", "general", &run_reuse<standard_policy>},
    {"reuse", "pmr_unsynchronized", &run_reuse<unsynchronized_policy>},
    {"reuse", "linn", &run_reuse<linn_policy>},
    {"reuse", "linn_pool_resource", &run_reuse<from_resource>},
    {"containers-shuffled", "general", &run_shuffled<standard_policy>},
    {"containers-shuffled", "pmr_unsynchronized", &run_shuffled<unsynchronized_policy>},
    {"containers-shuffled", "linn", &run_shuffled<linn_policy>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
