// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mapped_array.hpp"
#include "../team.hpp"
#include "../variant.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <memory_resource>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace linn::tool::worker {

/// The same random numbers for every contender, without the standard library's distributions, which differ.
class sizes_at_random {
public:
    /// From 8 to 4096: every power of two as likely as the next, any size between two.
    std::size_t next() {
        const std::uint64_t r = random_();
        const std::size_t base = std::size_t{8} << (r % 9);
        return std::min<std::size_t>(base + (r >> 8) % base, 4'096);
    }

private:
    std::mt19937_64 random_;
};

inline constexpr std::size_t elements = 4'096; // live at once in a container

/// Fills a container and empties it one by one in the order of insertion, until `n` elements went through.
inline void list_work(std::pmr::memory_resource& r, std::size_t n) {
    for (std::size_t done = 0; done < n; done += elements) {
        std::pmr::list<int> c{&r};
        for (std::size_t i = 0; i != elements; ++i) {
            c.push_back(static_cast<int>(i));
        }
        while (!c.empty()) {
            c.pop_front();
        }
    }
}

template <class Map>
void map_work(std::pmr::memory_resource& r, std::size_t n) {
    for (std::size_t done = 0; done < n; done += elements) {
        Map c{&r};
        // An odd factor visits every key once, far from in order.
        for (std::size_t i = 0; i != elements; ++i) {
            c.try_emplace(static_cast<int>(i * 2'654'435'761u % elements), 0);
        }
        for (std::size_t i = 0; i != elements; ++i) {
            c.erase(static_cast<int>(i * 2'654'435'761u % elements));
        }
    }
}

/// A vector that grows, of strings of many lengths.
inline void strings_work(std::pmr::memory_resource& r, std::size_t n) {
    for (std::size_t done = 0; done < n; done += elements) {
        sizes_at_random sizes;
        std::pmr::vector<std::pmr::string> c{&r};
        for (std::size_t i = 0; i != elements; ++i) {
            c.emplace_back(sizes.next() / 8 + 16, 'x'); // 17 to 528: never in the string itself
        }
        escape(c.data());
    }
}

/// Blocks of 8 to 4096 bytes: each step frees the block that is longest alive of 1024 and allocates another.
inline void raw_work(std::pmr::memory_resource& r, std::size_t n) {
    struct block {
        void* p;
        std::size_t bytes;
    };
    constexpr std::size_t window = 1'024;
    std::array<block, window> live{};
    sizes_at_random sizes;
    for (std::size_t i = 0; i != n; ++i) {
        block& b = live[i % window];
        if (b.p != nullptr) {
            r.deallocate(b.p, b.bytes, alignof(std::max_align_t));
        }
        b.bytes = sizes.next();
        b.p = r.allocate(b.bytes, alignof(std::max_align_t));
        escape(b.p);
    }
    for (const block& b : live) {
        if (b.p != nullptr) {
            r.deallocate(b.p, b.bytes, alignof(std::max_align_t));
        }
    }
}

/// The scenario pmr for one resource: four containers' work and raw blocks, on one thread and on two. `Source` is made
/// once on each thread; it has `std::pmr::memory_resource& get()`, and `void end_pass()` after each pass.
template <class Source>
outcome run_pmr(const options& o) {
    using map = std::pmr::map<int, int>;
    using unordered_map = std::pmr::unordered_map<int, int>;
    struct work {
        const char* name;
        void (*run)(std::pmr::memory_resource&, std::size_t);
    };
    constexpr work all[] = {{"list", &list_work},
                            {"map", &map_work<map>},
                            {"unordered_map", &map_work<unordered_map>},
                            {"strings", &strings_work},
                            {"raw", &raw_work}};
    const std::size_t operations = (o.scaled(5 * elements) + elements - 1) / elements * elements;
    outcome result;
    result.work_check = operations;
    for (const unsigned threads : {1u, 2u}) {
        for (const work& w : all) {
            result.phases.push_back(measure_passes(w.name + std::string{threads == 1 ? "" : "_two"}, threads,
                                                   operations, result.cpu_share, [&w] {
                                                       return [source = std::make_unique<Source>(),
                                                               run = w.run](std::size_t n) {
                                                           run(source->get(), n);
                                                           source->end_pass();
                                                       };
                                                   }));
        }
    }
    return result;
}

} // namespace linn::tool::worker
