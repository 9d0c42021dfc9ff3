// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"
#include "reuse.hpp"

#include <linn/containers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

namespace linn::tool::worker {
namespace {

constexpr const char* container_steps[] = {"insert", "erase", "again"};

/// The integers to insert, and the places of those to erase, one after the other. The same for every contender.
struct shuffled_inputs {
    explicit shuffled_inputs(std::size_t n) : keys{n}, victims{n} {
        std::generate(keys.begin(), keys.end(), published_integers{});
        std::iota(victims.begin(), victims.end(), std::uint32_t{0});
        std::shuffle(victims.begin(), victims.end(), std::mt19937_64{11});
    }

    mapped_array<int> keys;
    mapped_array<std::uint32_t> victims;
};

template <class Container>
void insert_all(Container& c, shuffled_inputs& in) {
    for (const int key : in.keys) {
        if constexpr (requires { typename Container::mapped_type; }) {
            c.emplace(key, key);
        } else {
            c.insert(key);
        }
    }
}

/// Inserts all, erases them in random order, inserts them again. The figures are the median of `repetitions`, each on a new
/// container.
template <class Make>
void measure_container(std::size_t n, std::size_t repetitions, const Make& make,
                       step_report<std::size(container_steps)>& report) {
    shuffled_inputs in{n};
    std::vector<phase> steps[std::size(container_steps)];
    for (std::size_t r = 0; r != repetitions; ++r) {
        auto c = make();
        const auto time = [&](std::size_t step, auto work) {
            const stopwatch watch;
            work();
            steps[step].push_back(watch.finish({}, n));
        };
        if constexpr (requires { c.push_back(0); }) { // a list finds what it erases by iterator
            mapped_array<decltype(c.begin())> places{n};
            const auto push_all = [&] {
                for (std::size_t i = 0; i != n; ++i) {
                    places[i] = c.insert(c.end(), in.keys[i]);
                }
            };
            time(0, push_all);
            time(1, [&] {
                for (const std::uint32_t i : in.victims) {
                    c.erase(places[i]);
                }
            });
            time(2, push_all);
        } else {
            time(0, [&] { insert_all(c, in); });
            time(1, [&] {
                for (const std::uint32_t i : in.victims) {
                    c.erase(in.keys[i]);
                }
            });
            time(2, [&] { insert_all(c, in); });
        }
        report.elements = c.size();
    }
    for (std::size_t step = 0; step != std::size(container_steps); ++step) {
        const phase p = median_pass(steps[step]);
        report.cycles[step] = p.cycles_per_operation;
        report.faults[step] = p.faults_per_operation;
    }
    report.peak_bytes = peak_rss_bytes();
    report.complete = true;
}

/// The scenario containers-shuffled for one way. `Way` makes containers: `unordered_set()`, `map()`, `list()`. Each kind and
/// size has a process of its own.
template <class Way>
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
                        [&](auto& report) { measure_container(n, repetitions, make, report); });
    };
    for (const amount& size : {amount{"10k", 10'000}, amount{"100k", 100'000}, amount{"1m", 1'000'000}}) {
        measure("set", size, [] { return Way::unordered_set(); });
        measure("map", size, [] { return Way::map(); });
        measure("list", size, [] { return Way::list(); });
    }
    return result;
}

struct standard {
    static std::unordered_set<int> unordered_set() { return {}; }
    static std::map<int, int> map() { return {}; }
    static std::list<int> list() { return {}; }
};

/// One resource for all containers of the process, which are all of one type: the best case of the standard pools.
struct polymorphic {
    static std::pmr::memory_resource* resource() {
        static auto& all = *new std::pmr::unsynchronized_pool_resource;
        return &all;
    }

    static std::pmr::unordered_set<int> unordered_set() { return std::pmr::unordered_set<int>{resource()}; }
    static std::pmr::map<int, int> map() { return std::pmr::map<int, int>{resource()}; }
    static std::pmr::list<int> list() { return std::pmr::list<int>{resource()}; }
};

struct pooled_containers {
    static linn::unordered_set<int> unordered_set() { return {}; }
    static linn::map<int, int> map() { return {}; }
    static linn::list<int> list() { return {}; }
};

constexpr variant all[] = {
    {"containers-shuffled", "general", &run_shuffled<standard>},
    {"containers-shuffled", "pmr_unsynchronized", &run_shuffled<polymorphic>},
    {"containers-shuffled", "linn", &run_shuffled<pooled_containers>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
