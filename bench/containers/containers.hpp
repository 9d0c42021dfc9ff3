// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

namespace linn::bench::containers {

void run_linn(sampler& s);
void run_general(sampler& s);
void run_pmr(sampler& s);

/// The cells of one container at one size.
struct phase_cells {
    const char* insert;
    const char* erase;
    const char* again;
};

/// The same numbers for every contender.
struct inputs {
    explicit inputs(std::size_t n) : keys{n}, victims{n} {
        std::mt19937 generator;
        std::uniform_int_distribution<int> any{std::numeric_limits<int>::min()};
        for (int& key : keys) {
            key = any(generator);
        }
        for (std::size_t i = 0; i != n; ++i) {
            victims[i] = static_cast<std::uint32_t>(i);
        }
        random_numbers random{11};
        shuffle(victims.begin(), n, random);
    }

    array<int> keys;
    array<std::uint32_t> victims; ///< indices of keys in the order in which they are erased
};

/// Three phases on one container with `insert(container, key)` and `erase(container, key)`.
template <class Container, class Insert, class Erase>
void measure_keyed(sampler& s, Container& c, inputs& in, const phase_cells& cells, Insert insert,
                   Erase erase) {
    const std::size_t n = in.keys.size();
    const auto insert_all = [&] {
        for (const int key : in.keys) {
            insert(c, key);
        }
    };
    s.add(cells.insert, time_of(n, insert_all));
    s.add(cells.erase, time_of(n, [&] {
              for (const std::uint32_t i : in.victims) {
                  erase(c, in.keys[i]);
              }
          }));
    s.add(cells.again, time_of(n, insert_all));
}

/// As `measure_keyed`; what is erased is found by its iterator.
template <class List>
void measure_list(sampler& s, List& c, inputs& in, const phase_cells& cells) {
    const std::size_t n = in.keys.size();
    array<typename List::iterator> places{n};
    const auto insert_all = [&] {
        for (std::size_t i = 0; i != n; ++i) {
            places[i] = c.insert(c.end(), in.keys[i]);
        }
    };
    s.add(cells.insert, time_of(n, insert_all));
    s.add(cells.erase, time_of(n, [&] {
              for (const std::uint32_t i : in.victims) {
                  c.erase(places[i]);
              }
          }));
    s.add(cells.again, time_of(n, insert_all));
}

/// One kind of container at one size, several times over. `Contender` makes containers.
template <class Contender>
void measure_kind(sampler& s, int kind, std::size_t n, int repetitions, const phase_cells (&cells)[3]) {
    inputs in{n};
    for (int r = 0; r != repetitions; ++r) {
        Contender contender;
        if (kind == 0) {
            auto c = contender.make_unordered_set();
            measure_keyed(
                s, c, in, cells[0], [](auto& set, int key) { set.insert(key); },
                [](auto& set, int key) { set.erase(key); });
        } else if (kind == 1) {
            auto c = contender.make_map();
            measure_keyed(
                s, c, in, cells[1], [](auto& map, int key) { map.emplace(key, key); },
                [](auto& map, int key) { map.erase(key); });
        } else {
            auto c = contender.make_list();
            measure_list(s, c, in, cells[2]);
        }
    }
}

/// Runs `work` in a process of its own, so that no container finds memory that another one left: who reuses it
/// and who cannot would decide the columns.
template <class Work>
void in_fresh_process(Work work) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        std::fflush(stdout);
        ::_exit(0);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) {
        std::fprintf(stderr, "the process of one container failed\n");
        std::exit(1);
    }
}

inline constexpr phase_cells small_cells[3] = {
    {"set 10k insert", "set 10k erase", "set 10k again"},
    {"map 10k insert", "map 10k erase", "map 10k again"},
    {"list 10k insert", "list 10k erase", "list 10k again"},
};
inline constexpr phase_cells large_cells[3] = {
    {"set 1M insert", "set 1M erase", "set 1M again"},
    {"map 1M insert", "map 1M erase", "map 1M again"},
    {"list 1M insert", "list 1M erase", "list 1M again"},
};

template <class Contender>
void measure(sampler& s) {
    for (int kind = 0; kind != 3; ++kind) {
        in_fresh_process([&] {
            measure_kind<Contender>(s, kind, s.quick() ? 1'000 : 10'000, s.quick() ? 1 : 15, small_cells);
        });
        if (!s.quick()) {
            in_fresh_process([&] { measure_kind<Contender>(s, kind, 1'000'000, 1, large_cells); });
        }
    }
}

} // namespace linn::bench::containers
