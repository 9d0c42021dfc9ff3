// SPDX-License-Identifier: Apache-2.0
// Blocks of many sizes: the scenarios sizes, pmr and pmr-blocks.
#include "measure.hpp"
#include "pairs.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/memory_resource.hpp>

#include <array>
#include <list>
#include <map>
#include <memory_resource>
#include <unordered_map>

namespace linn::tool::worker {

namespace {

constexpr std::size_t size_count = 20; // 1, 2, 4 … 524 288 bytes
constexpr std::size_t largest = std::size_t{1} << (size_count - 1);
constexpr std::size_t published_pairs = 1'048'576;
/// What one size may take at the usual work: some allocators need milliseconds a pair for large blocks.
constexpr double most_ns = 100e6;

/// How many pairs a pass has: `wanted`, or as many as fit when all passes together may take `bound` ticks. The pairs
/// that find this out also warm the allocator up. The first pair pays for memory that later ones reuse, and a thread that had to wait
/// for its CPU must not pass for a slow allocator, so the least of several tries counts.
template <class Make>
std::size_t fitting_pairs(unsigned threads, std::size_t wanted, double bound, const Make& make) {
    double ignored = 1;
    for (std::size_t pairs = 1;; pairs *= 8) {
        double each = bound;
        for (int tries = 5; tries != 0 && each * static_cast<double>(pairs) >= bound / 64; --tries) {
            const phase p = measure_passes({}, threads, pairs, ignored, make, one_cold_pass);
            each = std::min(each, p.cycles_per_operation + 1e-3); // never 0
        }
        if (each * static_cast<double>(pairs) >= bound / 64 || pairs >= wanted) {
            const double fitting = bound / (passes{}.count + 1) / each;
            return static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(wanted)));
        }
    }
}

/// As published: an array of char, of a size that the compiler does not know.
template <std::size_t Bytes>
struct new_array {
    std::size_t bytes = Bytes;

    new_array() noexcept { asm volatile("" : "+r"(bytes)); }
    void* take() const { return new char[bytes]; }
    static void give(void* p) noexcept { delete[] static_cast<char*>(p); }
};

/// From a pool of buffers of that size.
template <std::size_t Bytes>
struct pooled_buffer {
    buffer_pool* from = &shared();
    buffer held{};

    static buffer_pool& shared() {
        static buffer_pool& pool = *new buffer_pool{Bytes};
        return pool;
    }
    void* take() {
        held = from->acquire();
        return held.data();
    }
    void give(void*) noexcept { held.reset(); }
};

/// The scenario sizes for one way: `Source<Bytes>` hands out blocks of one size, from `Least` to `Most` bytes.
template <template <std::size_t> class Source, std::size_t Least = 1, std::size_t Most = largest>
outcome run_sizes(const options& o) {
    const std::size_t wanted = std::max<std::size_t>(1, o.scaled(published_pairs) / passes{}.count);
    const double bound = most_ns * static_cast<double>(o.work) / 100 * ticks_per_ns();
    outcome result;
    result.work_check = wanted;
    double shares = 0;
    double measured = 0;
    const auto add_size = [&]<std::size_t Bytes>(unsigned threads) {
        std::string name = std::to_string(Bytes) + (threads == 1 ? "" : "_two");
        if constexpr (Bytes < Least || Bytes > Most) {
            result.phases.push_back({std::move(name), 0, 0, {}});
        } else {
            const auto make = [] {
                return [s = Source<Bytes>{}](std::size_t n) mutable { pair_loop(s, n); };
            };
            double share = 1;
            result.phases.push_back(measure_passes(std::move(name), threads,
                                                   fitting_pairs(threads, wanted, bound, make), share, make));
            shares += share;
            ++measured;
        }
    };
    const auto add_all = [&]<std::size_t... Log2>(unsigned threads, std::index_sequence<Log2...>) {
        (add_size.template operator()<std::size_t{1} << Log2>(threads), ...);
    };
    for (const unsigned threads : {1u, 2u}) {
        add_all(threads, std::make_index_sequence<size_count>{});
    }
    // A mean: an interrupt in one of many short phases is no disturbance of the sample.
    result.cpu_share = shares / measured;
    return result;
}

/// Sizes as programs with nodes and strings have them: most below 100 bytes, some up to 2 KiB.
std::array<std::size_t, 1'024> program_sizes() {
    std::mt19937_64 random{5};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::array<std::size_t, 1'024> sizes{};
    for (std::size_t& bytes : sizes) {
        const std::size_t kind = below(20);
        bytes = kind < 14 ? 8 + below(88) : kind < 19 ? 96 + below(400) : 500 + below(1'548);
    }
    return sizes;
}

/// Allocates `n` blocks and frees them in the same order, until `operations` went through.
[[gnu::noinline]] void fill_and_free(std::pmr::memory_resource& r, void** live, std::size_t n,
                                     std::size_t operations) {
    static const auto sizes = program_sizes();
    for (std::size_t done = 0, k = 0; done < operations; done += n, ++k) {
        for (std::size_t i = 0; i != n; ++i) {
            live[i] = r.allocate(sizes[(i + k) % sizes.size()], alignof(void*));
            escape(live[i]);
        }
        for (std::size_t i = 0; i != n; ++i) {
            r.deallocate(live[i], sizes[(i + k) % sizes.size()], alignof(void*));
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
/// once on each thread; it has `std::pmr::memory_resource& get()`, called before each pass.
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
                };
            });
        }
    }
    return result;
}

struct new_delete_source {
    static std::pmr::memory_resource& get() { return *std::pmr::new_delete_resource(); }
    static auto make() { return std::pmr::new_delete_resource(); }
};

/// One a thread, because that is the only way to use it.
struct unsynchronized_source {
    std::pmr::unsynchronized_pool_resource resource;
    std::pmr::memory_resource& get() { return resource; }
    static auto make() { return std::make_unique<std::pmr::unsynchronized_pool_resource>(); }
};

/// Gives back nothing before the next pass, which pays for that.
struct monotonic_source {
    std::pmr::monotonic_buffer_resource resource;
    std::pmr::memory_resource& get() {
        resource.release();
        return resource;
    }
};

/// One for all threads.
template <class Resource>
struct shared_source {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new Resource;
        return resource;
    }
    static auto make() { return std::make_unique<Resource>(); }
};
using synchronized_source = shared_source<std::pmr::synchronized_pool_resource>;
using linn_source = shared_source<pool_resource>;

constexpr variant all[] = {
    {"sizes", "new_delete", &run_sizes<new_array>},
    {"sizes", "linn_pool", &run_sizes<pool_source>},
    // It passes larger ones on.
    {"sizes", "linn_pool_resource", &run_sizes<resource_source, 1, std::size_t{128} << 10>},
    {"sizes", "linn_buffer_pool", &run_sizes<pooled_buffer, std::size_t{64} << 10>},
    {"pmr", "new_delete", &run_pmr<new_delete_source>},
    {"pmr", "unsynchronized", &run_pmr<unsynchronized_source>},
    {"pmr", "synchronized", &run_pmr<synchronized_source>},
    {"pmr", "monotonic", &run_pmr<monotonic_source>},
    {"pmr-blocks", "new_delete", &run_pmr_blocks<new_delete_source>},
    {"pmr-blocks", "unsynchronized", &run_pmr_blocks<unsynchronized_source>},
    {"pmr-blocks", "synchronized", &run_pmr_blocks<synchronized_source>},
    {"pmr", "linn_pool_resource", &run_pmr<linn_source>},
    {"pmr-blocks", "linn_pool_resource", &run_pmr_blocks<linn_source>},
};

const variants here{all};

} // namespace

} // namespace linn::tool::worker
