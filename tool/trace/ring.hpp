// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chunk.hpp"
#include "event.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <new>

// The memory that the recorded processes and the collector share: a file (a memfd). The collector maps it whole, the
// recorded processes the header and the states, and of the chunks those that they write.
//
//   ring_header | one state a chunk | chunks
//
// A chunk is free (and all zero), owned by a thread, full, or being read. Every change is one compare-and-swap of its
// state, which also holds the owner; so a process that dies, wherever it is, leaves no chunk in between. The collector
// takes what a dead process owned.
namespace linn::tool::wire {

/// The environment variable that names the file to map.
inline constexpr const char* ring_variable = "LINN_RECORD";
inline constexpr std::uint64_t ring_magic = 0x3147'4e52'4e4e'494c; // "LINNRNG1"
inline constexpr std::uint32_t ring_version = 11;
/// Full chunks that wait for the collector; beyond, the program waits.
inline constexpr std::uint32_t most_in_flight = 256;

/// What the recorder shall do; set by the collector before the program starts, then constant.
struct ring_options {
    std::uint32_t depth = 16; ///< frames a stack
    bool times_calls = true;  ///< time a sample of the real calls
    std::uint8_t reserved[3] = {};
    std::uint64_t sample_bytes = 0; ///< mean distance of samples; 0: all blocks
    double ticks_per_ns = 1;        ///< of the processor's time stamp counter
};

enum class chunk_state : std::uint8_t { free = 0, owned = 1, full = 2, taken = 3 };

/// A chunk's state and whose it is, in one word; 0 is free.
struct chunk_word {
    chunk_state state = chunk_state::free;
    std::uint32_t pid = 0; ///< below 2^28, as the collector's /proc knows it
    std::uint32_t tid = 0;

    constexpr std::uint64_t pack() const noexcept {
        return static_cast<std::uint64_t>(state) | std::uint64_t{pid & 0xfff'ffffu} << 8 |
               std::uint64_t{tid & 0xfff'ffffu} << 36;
    }
    static constexpr chunk_word unpack(std::uint64_t word) noexcept {
        return {static_cast<chunk_state>(word & 0xff), static_cast<std::uint32_t>(word >> 8 & 0xfff'ffffu),
                static_cast<std::uint32_t>(word >> 36 & 0xfff'ffffu)};
    }
};

struct ring_header {
    std::uint64_t magic = ring_magic;
    std::uint32_t version = ring_version;
    std::uint32_t chunk_count = 0;
    ring_options options;
    /// A writer that waits gives up when it is gone; 0: there is no collector.
    std::uint32_t collector_pid = 0;

    /// Chunks handed over and chunks given back, modulo 2^32; futex words. In flight is the difference, as a signed
    /// number: a process killed in the middle of handing over counts one too few.
    alignas(64) std::atomic<std::uint32_t> filled{0};
    std::atomic<std::uint32_t> collector_waits{0}; ///< not 0: wake it at `filled`
    std::atomic<std::uint32_t> pulse{0}; ///< changes several times a second while the collector lives
    alignas(64) std::atomic<std::uint32_t> emptied{0};
    std::atomic<std::uint32_t> writers_wait{0}; ///< not 0: wake them at `emptied`

    alignas(64) std::atomic<std::uint32_t> images{0}; ///< handed out so far
    std::atomic<std::uint32_t> streams{0};
    std::atomic<std::uint32_t> threads{0};
    std::atomic<std::uint32_t> closed{0};     ///< not 0: the collector stopped; record nothing more
    std::atomic<std::uint64_t> dropped{0};    ///< events, also those that no record tells
    std::atomic<std::uint64_t> cut_stacks{0}; ///< that end before the outermost call

    /// What recording took, by the clock inside of the hooks, of a sample of all events.
    alignas(64) std::atomic<std::uint64_t> cost_ticks{0};
    std::atomic<std::uint64_t> cost_samples{0};

    /// As call_time_sums.
    alignas(64) std::atomic<double> times[std::tuple_size_v<call_time_sums>] = {};
};

inline call_times times_of(const ring_header& header) noexcept {
    call_time_sums sums;
    std::copy(std::begin(header.times), std::end(header.times), sums.begin());
    return std::bit_cast<call_times>(sums);
}

/// A view of the mapped file. Copies are views of the same.
class ring {
public:
    static constexpr std::uint32_t none = 0xffff'ffff;

    ring() noexcept = default;
    explicit ring(void* memory) noexcept : memory_(static_cast<unsigned char*>(memory)) {}

    /// Bytes of the file for so many chunks.
    static constexpr std::size_t file_bytes(std::uint32_t chunks) noexcept {
        return header_bytes(chunks) + chunks * chunk_bytes;
    }
    /// The begin of it, of whole pages, which all processes map; the chunks behind it they map as they need them.
    static constexpr std::size_t header_bytes(std::uint32_t chunks) noexcept {
        return (states_at + chunks * sizeof(std::uint64_t) + page - 1) / page * page;
    }
    /// Where a chunk lies in it.
    std::size_t offset_of(std::uint32_t index) const noexcept {
        return header_bytes(chunk_count()) + index * chunk_bytes;
    }
    /// Makes zeroed memory of file_bytes(chunks) a ring.
    static ring create(void* memory, std::uint32_t chunks, const ring_options& options) noexcept {
        auto* const h = ::new (memory) ring_header;
        h->chunk_count = chunks;
        h->options = options;
        return ring{memory};
    }
    /// Whether the mapped begin of a file of `bytes` is that of a ring that this version knows.
    bool usable(std::size_t bytes) const noexcept {
        if (bytes < sizeof(ring_header)) {
            return false;
        }
        const ring_header& h = header();
        return h.magic == ring_magic && h.version == ring_version && h.chunk_count <= bytes / chunk_bytes &&
               bytes == file_bytes(h.chunk_count);
    }

    explicit operator bool() const noexcept { return memory_ != nullptr; }
    ring_header& header() const noexcept { return *reinterpret_cast<ring_header*>(memory_); }
    std::uint32_t chunk_count() const noexcept { return header().chunk_count; }
    unsigned char* chunk(std::uint32_t index) const noexcept { return memory_ + offset_of(index); }
    chunk_word word(std::uint32_t index) const noexcept {
        return chunk_word::unpack(state(index).load(std::memory_order_acquire)); // pairs with change()
    }

    /// Changes a chunk's state; false if it was not `from` any more.
    bool change(std::uint32_t index, const chunk_word& from, const chunk_word& to) const noexcept {
        std::uint64_t expected = from.pack();
        // Pairs with itself and word(): what was written into the chunk before is seen by who gets it.
        return state(index).compare_exchange_strong(expected, to.pack(), std::memory_order_acq_rel,
                                                    std::memory_order_relaxed);
    }

    // For the writers.

    /// Takes a free chunk that `may_take` agrees to, the lowest, so that few pages are ever touched; `none` if there is none.
    template <typename Predicate>
    std::uint32_t claim(std::uint32_t pid, std::uint32_t tid, Predicate may_take) const noexcept {
        const std::uint32_t count = chunk_count();
        for (std::uint32_t i = 0; i != count; ++i) {
            if (state(i).load(std::memory_order_relaxed) == 0 && may_take(i) &&
                change(i, {}, {chunk_state::owned, pid, tid})) {
                return i;
            }
        }
        return none;
    }
    /// Gives an owned chunk to the collector; false if it was not owned so.
    bool hand_over(std::uint32_t index, std::uint32_t pid, std::uint32_t tid) const noexcept {
        if (!change(index, {chunk_state::owned, pid, tid}, {chunk_state::full, pid, tid})) {
            return false;
        }
        ring_header& h = header();
        // Sequentially consistent, as the collector's store to collector_waits and its load of this before it sleeps:
        // one of the two sees the other.
        h.filled.fetch_add(1, std::memory_order_seq_cst);
        if (h.collector_waits.load(std::memory_order_seq_cst) != 0) {
            futex(h.filled, FUTEX_WAKE, 1, nullptr);
        }
        return true;
    }
    /// Full chunks that the collector has not given back.
    std::uint32_t in_flight() const noexcept {
        const ring_header& h = header();
        const auto n = static_cast<std::int32_t>(h.filled.load(std::memory_order_relaxed) -
                                                 h.emptied.load(std::memory_order_relaxed));
        return n > 0 ? static_cast<std::uint32_t>(n) : 0;
    }
    /// Sleeps until the collector has given back a chunk since `seen` was read from `emptied`, a signal came, or
    /// `milliseconds` have passed.
    void wait_for_room(std::uint32_t seen, unsigned milliseconds) const noexcept {
        ring_header& h = header();
        h.writers_wait.fetch_add(1, std::memory_order_seq_cst); // pairs with give_back()
        wait(h.emptied, seen, milliseconds);
        h.writers_wait.fetch_sub(1, std::memory_order_seq_cst);
    }

    // For the collector.

    /// Takes a chunk that is full, or owned by a thread that has ended, to read it. One taken from a dead owner counts as
    /// handed over.
    bool take(std::uint32_t index, const chunk_word& from) const noexcept {
        if (!change(index, from, {chunk_state::taken, from.pid, from.tid})) {
            return false;
        }
        if (from.state == chunk_state::owned) {
            header().filled.fetch_add(1, std::memory_order_relaxed);
        }
        return true;
    }
    /// Makes a taken chunk free again. @pre it is all zero: memset() of the used part, or a hole punched into the file
    void give_back(std::uint32_t index) const noexcept {
        ring_header& h = header();
        state(index).store(0, std::memory_order_release);  // pairs with claim()'s change()
        h.emptied.fetch_add(1, std::memory_order_seq_cst); // pairs with wait_for_room()
        if (h.writers_wait.load(std::memory_order_seq_cst) != 0) {
            futex(h.emptied, FUTEX_WAKE, INT_MAX, nullptr);
        }
    }
    /// Sleeps until something is handed over since `seen` was read from `filled`, or `milliseconds` have passed. A death
    /// wakes no one: look at the owners now and then.
    void wait_for_chunks(std::uint32_t seen, unsigned milliseconds) const noexcept {
        ring_header& h = header();
        h.collector_waits.store(1, std::memory_order_seq_cst); // pairs with hand_over()
        wait(h.filled, seen, milliseconds);
        h.collector_waits.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t states_at = (sizeof(ring_header) + 63) / 64 * 64;
    std::atomic<std::uint64_t>& state(std::uint32_t index) const noexcept {
        return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_ + states_at)[index];
    }

    static long futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value,
                      const timespec* limit) noexcept {
        return ::syscall(SYS_futex, &word, what, value, limit, nullptr, 0);
    }
    static void wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, unsigned milliseconds) noexcept {
        const timespec limit{static_cast<time_t>(milliseconds / 1000),
                             static_cast<long>(milliseconds % 1000) * 1'000'000};
        futex(word, FUTEX_WAIT, seen, &limit);
    }

    unsigned char* memory_ = nullptr;
};

} // namespace linn::tool::wire
