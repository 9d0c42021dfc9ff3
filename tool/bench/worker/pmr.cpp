// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"
#include "team.hpp"

#include <linn/memory_resource.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace linn::tool::worker {
namespace {

/// Sizes as programs with nodes and strings have them: most below 100 bytes, some up to 2 KiB.
class program_sizes {
public:
    program_sizes() {
        std::mt19937_64 random{5};
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        for (std::size_t& bytes : bytes_) {
            const std::size_t kind = below(20);
            bytes = kind < 14 ? 8 + below(88) : kind < 19 ? 96 + below(400) : 500 + below(1'548);
        }
    }
    std::size_t operator[](std::size_t i) const noexcept { return bytes_[i % bytes_.size()]; }

private:
    std::array<std::size_t, 1'024> bytes_{};
};

/// Allocates `n` blocks and frees them in the same order, until `operations` went through.
[[gnu::noinline]] void fill_and_free(std::pmr::memory_resource& r, void** live, std::size_t n,
                                     std::size_t operations) {
    static const program_sizes sizes;
    for (std::size_t done = 0, k = 0; done < operations; done += n, ++k) {
        for (std::size_t i = 0; i != n; ++i) {
            live[i] = r.allocate(sizes[i + k], alignof(void*));
            escape(live[i]);
        }
        for (std::size_t i = 0; i != n; ++i) {
            r.deallocate(live[i], sizes[i + k], alignof(void*));
            escape(live);
        }
    }
}

/// The scenario pmr-blocks for one resource: blocks of mixed sizes by the number live, on one thread and on two. And a
/// resource that lives for one map: `Source::make()` returns a pointer to a new one.
template <class Source>
outcome run_pmr_blocks(const options& o) {
    struct load {
        const char* name;
        std::size_t live;
        std::size_t operations; // at the usual work
    };
    outcome result;
    for (const unsigned threads : {1u, 2u}) {
        for (const load& l :
             {load{"one", 1, 200'000}, load{"1000", 1'000, 200'000}, load{"100k", 100'000, 200'000}}) {
            const std::size_t alive = o.alive(l.live);
            const std::size_t operations = (o.scaled(l.operations) + alive - 1) / alive * alive;
            add_passes(result, l.name + std::string{threads == 1 ? "" : "_two"}, threads, operations,
                       [alive] {
                           return [source = std::make_unique<Source>(),
                                   live = std::make_unique<mapped_array<void*>>(alive)](std::size_t n) {
                               fill_and_free(source->get(), live->begin(), live->size(), n);
                               source->end_pass();
                           };
                       });
            result.work_check += operations;
        }
    }
    constexpr int elements_of_one = 100;
    const std::size_t maps = o.scaled(50'000) / elements_of_one + 1;
    add_passes(result, "short_lived", 1, maps * elements_of_one, [] {
        return [](std::size_t n) {
            for (std::size_t done = 0; done < n; done += elements_of_one) {
                auto mine = Source::make();
                std::pmr::map<int, int> c{&*mine};
                for (int key = 0; key != elements_of_one; ++key) {
                    c.emplace(key, key);
                }
            }
        };
    });
    return result;
}

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

constexpr std::size_t elements = 4'096; // live at once in a container

/// Fills a container and empties it one by one in the order of insertion, until `n` elements went through.
void list_work(std::pmr::memory_resource& r, std::size_t n) {
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
void strings_work(std::pmr::memory_resource& r, std::size_t n) {
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
void raw_work(std::pmr::memory_resource& r, std::size_t n) {
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
            add_passes(result, w.name + std::string{threads == 1 ? "" : "_two"}, threads, operations, [&w] {
                return [source = std::make_unique<Source>(), run = w.run](std::size_t n) {
                    run(source->get(), n);
                    source->end_pass();
                };
            });
        }
    }
    return result;
}

struct new_delete_source {
    static std::pmr::memory_resource& get() { return *std::pmr::new_delete_resource(); }
    static void end_pass() {}
    static auto make() { return std::pmr::new_delete_resource(); }
};

/// One a thread, because that is the only way to use it.
struct unsynchronized_source {
    std::pmr::unsynchronized_pool_resource resource;
    std::pmr::memory_resource& get() { return resource; }
    static void end_pass() {}
    static auto make() { return std::make_unique<std::pmr::unsynchronized_pool_resource>(); }
};

/// Gives back nothing before the end of a pass; that end is part of the figure.
struct monotonic_source {
    std::pmr::monotonic_buffer_resource resource;
    std::pmr::memory_resource& get() { return resource; }
    void end_pass() { resource.release(); }
};

/// One for all threads, over the resources that the functions return.
template <class Resource, auto... Upstream>
struct shared_source {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new Resource{Upstream()...};
        return resource;
    }
    static void end_pass() {}
    static auto make() { return std::make_unique<Resource>(Upstream()...); }
};
using synchronized_source = shared_source<std::pmr::synchronized_pool_resource>;
using linn_source = shared_source<pool_resource>;
/// One that takes its slabs from new and delete.
using linn_source_over_new = shared_source<pool_resource, &std::pmr::new_delete_resource>;

constexpr variant all[] = {
    {"pmr", "new_delete", &run_pmr<new_delete_source>},
    {"pmr", "unsynchronized", &run_pmr<unsynchronized_source>},
    {"pmr", "synchronized", &run_pmr<synchronized_source>},
    {"pmr", "monotonic", &run_pmr<monotonic_source>},
    {"pmr-blocks", "new_delete", &run_pmr_blocks<new_delete_source>},
    {"pmr-blocks", "unsynchronized", &run_pmr_blocks<unsynchronized_source>},
    {"pmr-blocks", "synchronized", &run_pmr_blocks<synchronized_source>},
    {"pmr", "linn_pool_resource", &run_pmr<linn_source>},
    {"pmr-blocks", "linn_pool_resource", &run_pmr_blocks<linn_source>},
    {"pmr-blocks", "linn_over_new", &run_pmr_blocks<linn_source_over_new>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
