// SPDX-License-Identifier: Apache-2.0
// The scenarios over objects of one size: pairs, scattered, live-sets, scaling and footprint.
#include "measure.hpp"
#include "pairs.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <array>
#include <numeric>

namespace linn::tool::worker {
namespace {

template <class Source, bool Write = false>
[[gnu::noinline]] void allocate_all(std::span<void*> live) {
    for (void*& place : live) {
        void* p = Source::take();
        if constexpr (Write) {
            *static_cast<char*>(p) = 1;
        }
        escape(p);
        place = p;
    }
}

template <class Source>
[[gnu::noinline]] void free_all(std::span<void*> live) {
    for (void* p : live) {
        Source::give(p);
        escape(live.data());
    }
}

/// The scenario scattered: objects are allocated and written, freed in random order, allocated again. Nothing else runs
/// between, so the second allocation meets the order that the first free left.
template <class Source>
outcome run_scattered(const options& o) {
    const std::size_t n = o.alive(200'000);
    mapped_array<void*> places{n};
    const std::span live{places.begin(), n};
    std::mt19937_64 random{7};
    std::array<phase, 5> freed;
    std::array<phase, 5> again;
    std::array<phase, 5> written;
    const auto time = [&](const char* name, auto work) {
        const stopwatch watch;
        work();
        return watch.finish(name, n);
    };
    const auto free_at_random = [&] {
        allocate_all<Source, true>(live);
        std::shuffle(live.begin(), live.end(), random);
        return time("free", [&] { free_all<Source>(live); });
    };
    for (std::size_t pass = 0; pass != freed.size(); ++pass) {
        freed[pass] = free_at_random();
        again[pass] = time("again", [&] { allocate_all<Source>(live); });
        free_all<Source>(live);
        free_at_random();
        written[pass] = time("again_written", [&] { allocate_all<Source, true>(live); });
        free_all<Source>(live);
    }
    outcome result;
    result.work_check = n;
    result.phases = {median_pass(freed), median_pass(again), median_pass(written)};
    return result;
}

constexpr std::size_t set_sizes[] = {3'000, 10'000, 30'000, 100'000, 1'000'000};

/// Allocates a set of objects, writes each, and frees them in the order of `order`.
template <class Source>
[[gnu::noinline]] void turn_over(Source& source, mapped_array<void*>& live, const std::uint32_t* order) {
    for (void*& place : live) {
        void* p = source.take();
        *static_cast<char*>(p) = 1;
        place = p;
    }
    for (std::size_t i = 0; i != live.size(); ++i) {
        source.give(live[order[i]]);
    }
}

/// Objects of one size: each live set in order, then each at random, until a pass has a million pairs.
template <class Source>
void measure_live_sets(const options& o, const std::string& bytes, outcome& result) {
    for (const bool at_random : {false, true}) {
        for (const std::size_t usual : set_sizes) {
            const std::size_t n = o.alive(usual);
            mapped_array<void*> live{n};
            mapped_array<std::uint32_t> order{n};
            std::iota(order.begin(), order.end(), std::uint32_t{0});
            if (at_random) {
                std::shuffle(order.begin(), order.end(), std::mt19937_64{11});
            }
            const std::size_t turns = std::max<std::size_t>(o.scaled(1'000'000) / n, 1);
            const auto make = [&] {
                return [&, source = Source{}](std::size_t pairs) mutable {
                    for (std::size_t done = 0; done != pairs; done += n) {
                        turn_over(source, live, order.begin());
                    }
                };
            };
            add_passes(result, bytes + (at_random ? "_random_" : "_order_") + std::to_string(usual), 1,
                       n * turns, make, {.count = 3});
            result.work_check += n * turns;
        }
    }
}

template <std::size_t Bytes>
using new_delete_source = resource_source<Bytes, &std::pmr::new_delete_resource>;

/// The scenario live-sets for one source of objects of some size.
template <template <std::size_t> class Source>
outcome run_live_sets(const options& o) {
    outcome result;
    measure_live_sets<Source<16>>(o, "16", result);
    measure_live_sets<Source<64>>(o, "64", result);
    measure_live_sets<Source<256>>(o, "256", result);
    return result;
}

constexpr std::size_t footprint_bytes = 24;

/// What this process wrote, in bytes, summed over its pages and not from the kernel's lazy counters. Pages of code that a
/// contender happens to run first are no memory that it holds.
std::uint64_t anonymous_bytes() {
    return proc_bytes("/proc/self/smaps_rollup", "\nAnonymous:");
}

/// The scenario footprint for one source: a million objects allocated one after the other and written, freed in the same
/// order, and the allocator asked to give back what it can. The metrics are what the process has more than before.
template <class Source>
outcome run_footprint(const options& o) {
    const std::size_t n = o.alive(1'000'000);
    mapped_array<void*> places{n};
    const std::span live{places.begin(), n};
    anonymous_bytes(); // what reading costs is there before
    const std::uint64_t before = anonymous_bytes();
    outcome result;
    result.work_check = n;
    const auto add = [&](const char* name, auto work) {
        const stopwatch watch;
        work();
        phase p = watch.finish(name, n);
        const std::uint64_t now = anonymous_bytes();
        const double grown = static_cast<double>(now > before ? now - before : 0);
        p.metrics = {{"anonymous_bytes", grown},
                     {"of_payload", grown / static_cast<double>(n * footprint_bytes)}};
        result.phases.push_back(std::move(p));
    };
    add("live", [&] { allocate_all<Source, true>(live); });
    add("freed", [&] { free_all<Source>(live); });
    add("trimmed", [] { Source::trim(); });
    return result;
}

constexpr unsigned team_sizes[] = {1, 2, 4, 8, 16};
/// More than two magazines of a pool hold at first, so that batches go through the depot.
constexpr std::size_t batch = 1'000;

/// One place for a batch on its way to the next thread.
struct alignas(128) mailbox {
    std::atomic<void**> content{nullptr};

    void post(void** b) noexcept {
        for (patience p; content.load(std::memory_order_acquire) != nullptr;) { // of the receiver's release
            p.wait();
        }
        content.store(b, std::memory_order_release); // the batch is written before
    }
    void** receive() noexcept {
        void** b = nullptr;
        for (patience p;
             (b = content.load(std::memory_order_acquire)) == nullptr;) { // of the sender's release
            p.wait();
        }
        content.store(nullptr, std::memory_order_release); // before the sender posts again
        return b;
    }
};

/// The scenario scaling for one source: pairs, batches, and batches that the next thread frees. A figure is the time of a core,
/// not of a thread, so perfect scaling is flat, also where threads outnumber cores and take turns.
template <class Source>
outcome run_scaling(const options& o) {
    const std::size_t pairs = o.scaled(1'600'000);
    outcome result;
    result.waits = true;
    result.work_check = pairs;
    const auto add = [&](unsigned threads, const char* load, std::size_t operations, const auto& make) {
        const unsigned cpus = usable_cpus();
        double share = 1;
        phase p = measure_passes(std::to_string(threads) + '_' + load, threads, operations, share, [&] {
            if (threads > cpus) {
                unpin_thread();
            }
            return make();
        });
        if (threads <= cpus) { // more have to wait for one another
            result.cpu_share = std::min(result.cpu_share, share);
        }
        p.cycles_per_operation *= static_cast<double>(std::min(threads, cpus)) / threads;
        result.phases.push_back(std::move(p));
    };
    for (const unsigned threads : team_sizes) {
        // The same work in all at every size, or 16 threads would take eight times as long.
        const std::size_t each = pairs / std::max(threads, 2u);
        const std::size_t batches = std::max<std::size_t>(each / batch, 4);
        add(threads, "hot", each, [] { return [s = Source{}](std::size_t n) mutable { pair_loop(s, n); }; });
        mapped_array<void*> buffers{threads * batch};
        std::atomic<unsigned> started{0};
        add(threads, "batch", batches * batch, [&] {
            const std::span mine{buffers.begin() + started.fetch_add(1) * batch, batch};
            return [mine](std::size_t n) {
                for (std::size_t done = 0; done != n; done += batch) {
                    allocate_all<Source>(mine);
                    free_all<Source>(mine);
                }
            };
        });
        std::vector<mailbox> boxes(threads);
        started = 0;
        add(threads, "hand_over", batches / 4 * batch, [&] {
            const unsigned me = started.fetch_add(1);
            return [&, me, mine = buffers.begin() + me * batch](std::size_t n) mutable {
                for (std::size_t done = 0; done != n; done += batch) {
                    allocate_all<Source>({mine, batch});
                    boxes[(me + 1) % threads].post(mine);
                    mine = boxes[me].receive();
                    free_all<Source>({mine, batch});
                }
            };
        });
    }
    return result;
}

template <class Function>
Function* loaded(const char* name, void* where = RTLD_DEFAULT) noexcept {
    return reinterpret_cast<Function*>(::dlsym(where, name));
}

/// Every allocator has a call of its own to give memory back. Whichever the process has is the preloaded one's, or the C
/// library's.
void trim_heap() {
    if (auto* mallctl = loaded<int(const char*, void*, std::size_t*, void*, std::size_t)>("mallctl")) {
        mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
        mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0); // jemalloc's name for all arenas
    } else if (auto* collect = loaded<void(bool)>("mi_collect")) {
        collect(true);
    } else if (auto* release = loaded<void()>("MallocExtension_ReleaseFreeMemory")) {
        if (auto* idle = loaded<void()>("MallocExtension_MarkThreadIdle")) {
            idle();
        }
        release();
    } else if (void* tbb = ::dlopen("libtbbmalloc.so.2", RTLD_LAZY | RTLD_NOLOAD); tbb != nullptr) {
        // The proxy carries the allocator in a library that is not in the global scope, by this name alone.
        constexpr int clean_all_buffers = 0;
        if (auto* command = loaded<int(int, void*)>("scalable_allocation_command", tbb)) {
            command(clean_all_buffers, nullptr);
        }
    } else {
        ::malloc_trim(0);
    }
}

/// The usual pool: free objects are linked through their own memory, chunks are carved as they are needed and never given
/// back. One thread's only, so it needs no lock.
template <std::size_t Bytes>
class free_list {
    struct link {
        link* next;
    };

public:
    static void* take() {
        link* l = free_;
        if (l == nullptr) [[unlikely]] {
            l = carve();
        }
        free_ = l->next;
        return l;
    }

    static void give(void* p) noexcept {
        link* l = static_cast<link*>(p);
        l->next = free_;
        free_ = l;
    }

private:
    [[gnu::noinline]] static link* carve() {
        constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
        char* chunk = static_cast<char*>(::operator new(chunk_bytes));
        for (std::size_t n = chunk_bytes / Bytes; n > 0; --n) {
            give(chunk + (n - 1) * Bytes);
        }
        return free_;
    }

    static inline constinit thread_local link* free_ = nullptr;
};

/// A thread-local array of pointers that is always full enough and never checked: no pool of pointers can do with less.
struct pointer_array {
    static inline constinit thread_local void** top = nullptr;

    static void* take() noexcept { return *--top; }
    static void give(void* p) noexcept { *top++ = p; }
};

/// Objects that live at once, a phase each.
constexpr std::size_t live_counts[] = {1, 8, 100, 1'000, 10'000, 100'000, 1'000'000};
constexpr std::size_t most_live = live_counts[std::size(live_counts) - 1];

/// The scenarios pairs and pairs-shared for one loop.
outcome measure_pairs(const options& o, object_loop* loop) {
    const std::size_t pairs = o.scaled(400'000);
    mapped_array<void*> live{most_live};
    outcome result;
    result.work_check = pairs;
    for (const std::size_t usual : live_counts) {
        const std::size_t n = o.alive(usual);
        const std::size_t rounds = std::max<std::size_t>(pairs / n, 1);
        add_passes(result, std::to_string(usual), 1, n * rounds, [&live, loop, n] {
            return [&live, loop, n](std::size_t count) { loop(live.begin(), n, count / n); };
        });
    }
    return result;
}

template <object_loop* Loop>
outcome run_loop(const options& o) {
    return measure_pairs(o, Loop);
}
template <class Source>
constexpr auto& run_pairs = run_loop<&pair_rounds<Source>>;

outcome run_floor(const options& o) {
    mapped_array<char> objects{most_live * object_bytes};
    mapped_array<void*> free{most_live};
    for (std::size_t i = 0; i != most_live; ++i) {
        free[i] = objects.begin() + i * object_bytes;
    }
    pointer_array::top = free.end();
    return run_pairs<pointer_array>(o);
}

using objects = pool_source<object_bytes>;

struct general_objects : general_source<footprint_bytes> {
    static void trim() { trim_heap(); }
};
struct pooled_objects : pool_source<footprint_bytes> {
    static void trim() { pool<object>::trim(); }
};

constexpr variant all[] = {
    {"pairs", "new_delete", &run_pairs<general_source<object_bytes>>},
    {"scattered", "new_delete", &run_scattered<general_source<object_bytes>>},
    {"live-sets", "new_delete", &run_live_sets<general_source>},
    {"live-sets", "new_delete_resource", &run_live_sets<new_delete_source>},
    {"scaling", "new_delete", &run_scaling<general_source<object_bytes>>},
    {"footprint", "new_delete", &run_footprint<general_objects>},
    {"pairs", "free_list", &run_pairs<free_list<object_bytes>>},
    {"scattered", "free_list", &run_scattered<free_list<object_bytes>>},
    {"pairs", "array", &run_floor},
    {"pairs", "linn_pool", &run_pairs<objects>},
    {"scattered", "linn_pool", &run_scattered<objects>},
    {"live-sets", "linn_pool", &run_live_sets<pool_source>},
    {"live-sets", "linn_pool_resource", &run_live_sets<resource_source>},
    {"scaling", "linn_pool", &run_scaling<objects>},
    {"footprint", "linn_pool", &run_footprint<pooled_objects>},
    {"pairs-shared", "new_delete", &run_loop<&usual::general>},
    {"pairs-shared", "linn_pool", &run_loop<&usual::inlined>},
    {"pairs-shared", "linn_pool_call", &run_loop<&usual::outlined>},
    {"pairs-shared", "linn_view", &run_loop<&usual::view>},
    {"pairs-shared", "linn_initial_exec", &run_loop<&initial_exec::inlined>},
#if defined(LINN_HAS_TLS_DESCRIPTORS)
    {"pairs-shared", "linn_descriptor", &run_loop<&descriptor::inlined>},
    {"pairs-shared", "linn_descriptor_call", &run_loop<&descriptor::outlined>},
#endif
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
