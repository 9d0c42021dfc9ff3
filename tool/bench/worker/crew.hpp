// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../scenario.hpp"
#include "measure.hpp"

#include <linn/detail/core/size_classes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace linn::tool::worker {

/// The same numbers for every contender: each thread of a program has one, seeded by its index.
/// @source Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014 (SplitMix64)
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_{seed * 0xd1342543de82ef95u + 1} {}

    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Below `n`, which is less than 2^32.
    std::uint32_t below(std::uint32_t n) noexcept { return share(next(), n); }

    /// From `least` to `most`, each as likely.
    std::uint32_t between(std::uint32_t least, std::uint32_t most) noexcept {
        return least + below(most - least + 1);
    }

    /// From `least` to `most`, with a probability that falls linearly to about 0 at `most`: the smaller of two.
    std::uint32_t falling(std::uint32_t least, std::uint32_t most) noexcept {
        const std::uint64_t r = next();
        const std::uint32_t a = share(r, most - least + 1);
        const std::uint32_t b = share(r >> 32, most - least + 1, 0xffffffffu);
        return least + (a < b ? a : b);
    }

    /// From `least` to `most`, with a probability that falls with the square of the size (a Pareto distribution of
    /// exponent 1, cut off).
    std::uint32_t inverse_square(std::uint32_t least, std::uint32_t most) noexcept {
        const std::uint64_t range = std::uint64_t{1} << 20;
        const std::uint64_t cut = range - (range * least / most); // all that are larger than `most`
        const std::uint64_t u = range - below(static_cast<std::uint32_t>(cut));
        return static_cast<std::uint32_t>(range * least / u);
    }

private:
    static std::uint32_t share(std::uint64_t r, std::uint32_t n, std::uint64_t mask = 0xffffffffu) noexcept {
        return static_cast<std::uint32_t>(((r & mask) * n) >> 32);
    }

    std::uint64_t state_;
};

/// A block that a program holds.
struct block {
    unsigned char* at = nullptr;
    std::uint32_t bytes = 0;
};

/// What a program did, and how long it took.
struct tally {
    std::uint64_t allocated = 0; ///< blocks
    std::uint64_t freed = 0;
    std::uint64_t bytes = 0;      ///< of all allocated blocks
    std::uint64_t damaged = 0;    ///< blocks that no longer held what was written
    std::uint64_t operations = 0; ///< what a figure counts
    std::uint64_t ticks = 0;      ///< of the measured part

    tally& operator+=(const tally& more) noexcept {
        allocated += more.allocated;
        freed += more.freed;
        bytes += more.bytes;
        damaged += more.damaged;
        operations += more.operations;
        ticks += more.ticks;
        return *this;
    }
};

/// What one program has to do.
struct work_plan {
    unsigned threads = 1;
    std::size_t operations = 1; ///< of each thread, about
};

/// How one thread of a program allocates: it counts, and marks both ends of each block, which it looks at again before the
/// block is freed. So two blocks that overlap are found, and a block that is freed twice most likely.
///
/// `Memory` has `static void* take(std::size_t bytes)`, which throws when there is none, and
/// `static void give(void* p, std::size_t bytes) noexcept`.
template <class Memory>
class memory_user {
public:
    block take(std::uint32_t bytes) {
        const block b = take_unmarked(bytes);
        b.at[0] = b.at[bytes - 1] = mark_of(b);
        return b;
    }

    void give(const block& b) noexcept {
        const unsigned char mark = mark_of(b);
        counts.damaged += b.at[0] != mark || b.at[b.bytes - 1] != mark ? 1U : 0U;
        b.at[0] = static_cast<unsigned char>(~mark); // so that a second free of it is seen
        give_unmarked(b);
    }

    /// Frees the blocks that are there, and forgets them.
    void give_all(std::span<block> blocks) noexcept {
        for (block& b : blocks) {
            if (b.at != nullptr) {
                give(b);
                b = {};
            }
        }
    }

    // For programs that have something else to look at.

    block take_unmarked(std::uint32_t bytes) {
        const block b{static_cast<unsigned char*>(Memory::take(bytes)), bytes};
        escape(b.at);
        ++counts.allocated;
        counts.bytes += bytes;
        return b;
    }

    void give_unmarked(const block& b) noexcept {
        ++counts.freed;
        escape(b.at);
        Memory::give(b.at, b.bytes);
    }

    tally counts;

private:
    static unsigned char mark_of(const block& b) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(b.at);
        return static_cast<unsigned char>((address >> 3) * 37 + b.bytes);
    }
};

/// Calls `body(index)` on `threads` new threads, which begin at once, and adds up what they return. Its time is from the
/// common start to the last end. Up to the number of CPUs each thread has one for itself; more threads run where
/// the system puts them.
inline tally run_crew(unsigned threads, const std::function<tally(unsigned)>& body) {
    const bool has_own_cpus = threads <= usable_cpus();
    struct member {
        tally counts;
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };
    std::vector<member> members(threads);
    spin_barrier barrier{threads};
    std::vector<std::thread> crew;
    crew.reserve(threads);
    for (unsigned index = 0; index != threads; ++index) {
        crew.emplace_back([&, index] {
            if (has_own_cpus) {
                pin_thread(index);
            } else {
                unpin_thread();
            }
            member& own = members[index];
            barrier.wait();
            own.start = ticks();
            own.counts = body(index);
            own.end = ticks();
        });
    }
    for (std::thread& t : crew) {
        t.join();
    }

    tally all;
    member whole = members.front();
    for (const member& m : members) {
        all += m.counts;
        whole.start = std::min(whole.start, m.start);
        whole.end = std::max(whole.end, m.end);
    }
    all.ticks = whole.end - whole.start;
    return all;
}

using program = tally (*)(const work_plan&);

/// Runs `run` with 1, 2, 4 … threads, each time in a process of its own, so that each begins with no memory and the peak is its
/// own.
inline outcome measure_program(const options& o, std::size_t usual_operations, program run) {
    struct report { // in memory that the process shares with its parent
        tally work;
        std::uint64_t peak_bytes;
        std::uint64_t faults;
        double cpu_share;
    };
    outcome result;
    result.waits = true;
    for (const unsigned threads : thread_counts(usable_cpus())) {
        const work_plan plan{threads, std::max<std::size_t>(1, o.scaled(usual_operations))};
        mapped_array<report> shared{1, MAP_SHARED};
        report& r = shared[0];
        result.error = run_apart([&] {
            const std::uint64_t faults = page_faults();
            const std::uint64_t wall = now_ns();
            const std::uint64_t busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
            r.work = run(plan);
            r.cpu_share = static_cast<double>(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - busy) /
                          static_cast<double>(now_ns() - wall);
            r.faults = page_faults() - faults;
            r.peak_bytes = peak_rss_bytes();
            return true;
        });
        const tally& t = r.work;
        if (result.error.empty() && t.damaged != 0) {
            result.error = std::to_string(t.damaged) + " blocks no longer held what was written";
        } else if (result.error.empty() && t.allocated != t.freed) {
            result.error = std::to_string(t.allocated) + " blocks were allocated, but " +
                           std::to_string(t.freed) + " freed";
        }
        if (!result.error.empty()) {
            break;
        }
        const double operations = static_cast<double>(t.operations);
        result.phases.push_back({std::to_string(threads),
                                 static_cast<double>(t.ticks) / operations,
                                 static_cast<double>(r.faults) / operations,
                                 {{"peak_rss_bytes", static_cast<double>(r.peak_bytes)}}});
        result.work_check += t.operations + t.bytes;
        result.peak_rss_bytes = std::max(result.peak_rss_bytes, r.peak_bytes);
        if (threads == 1) { // more may have to wait for one another
            result.cpu_share = r.cpu_share;
        }
    }
    return result;
}

/// The same where each thread has a user of the memory and numbers of its own: calls `work(user, random, index)`. A figure
/// counts the blocks that were allocated, unless the work counts something else.
template <class Memory, class Work>
tally run_users(unsigned threads, const Work& work) {
    return run_crew(threads, [&](unsigned index) {
        memory_user<Memory> user;
        random_numbers random{index + 1};
        work(user, random, index);
        if (user.counts.operations == 0) {
            user.counts.operations = user.counts.allocated;
        }
        return user.counts;
    });
}

/// Blocks that travel together, in memory of the allocator under test.
template <std::size_t Count>
struct parcel {
    block blocks[Count];
    parcel* next;

    /// Takes it and its blocks, each of `size()` bytes.
    template <class Memory, class Size>
    static parcel* fill(memory_user<Memory>& user, const Size& size) {
        parcel* const p = ::new (user.take_unmarked(sizeof(parcel)).at) parcel;
        for (block& b : p->blocks) {
            b = user.take(size());
        }
        return p;
    }
    /// Frees all of it.
    template <class Memory>
    void empty(memory_user<Memory>& user) noexcept {
        user.give_all(blocks);
        user.give_unmarked({reinterpret_cast<unsigned char*>(this), sizeof(parcel)});
    }
};

/// A program that knows its types has a pool for each, and each place in it knows which. These programs draw sizes at random,
/// so here is a pool for each of the 52 size classes of `pool_resource` (8 bytes to 128 KiB, a quarter larger each), found by a
/// table: every call costs a look-up and an indirect call more than a pool does, and what a block is larger than asked
/// for counts as memory. No program asks for more than 128 KiB.
///
/// `Pool<Bytes>` has `static void* take()` and `static void give(void*) noexcept`.
template <template <std::size_t> class Pool>
struct size_pools {
    static void* take(std::size_t bytes) { return table[detail::class_of(bytes)].take(); }
    static void give(void* p, std::size_t bytes) noexcept { table[detail::class_of(bytes)].give(p); }

private:
    struct entry {
        void* (*take)();
        void (*give)(void*) noexcept;
    };

    template <std::size_t... Class>
    static constexpr std::array<entry, sizeof...(Class)> make(std::index_sequence<Class...>) {
        return {entry{&Pool<detail::class_bytes(Class)>::take, &Pool<detail::class_bytes(Class)>::give}...};
    }

    static constexpr std::array<entry, detail::size_class_count> table =
        make(std::make_index_sequence<detail::size_class_count>{});
};

} // namespace linn::tool::worker
