// SPDX-License-Identifier: Apache-2.0
// Whether the model is right about the orders: small programs of which the standard says what may come out. What
// it allows must be found, what it forbids must not.
// Source: Alglave, Maranget, Tautschnig: Herding cats, TOPLAS 2014, table of litmus tests; ISO C++20 [atomics.order]
#include "policy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>

namespace model::of_litmus {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto in_order = std::memory_order_seq_cst;

/// What came out of any execution; `Allowed` has a bit for each result that must, and others must not.
template <class Program, std::uint64_t Allowed>
struct litmus : Program {
    void finish() { seen |= std::uint64_t{1} << this->result(); }
    static void conclude() {
        std::printf("results %#llx, allowed %#llx\n", static_cast<unsigned long long>(seen),
                    static_cast<unsigned long long>(Allowed));
        check((seen & ~Allowed) == 0, "nothing comes out that the standard forbids");
        check((Allowed & ~seen) == 0, "all that the standard allows comes out");
    }
    static inline std::uint64_t seen = 0;
};

struct cells {
    policy::atomic<unsigned> x{0};
    policy::atomic<unsigned> y{0};
    std::array<unsigned, 4> r{};
    [[nodiscard]] unsigned result() const { return r[0] | r[1] << 1 | r[2] << 2 | r[3] << 3; }
};

/// Each stores, then reads what the other stores.
template <std::memory_order Store, std::memory_order Load, bool Barrier = false>
struct store_buffering : cells {
    void run(unsigned t) {
        (t == 0 ? x : y).store(1, Store);
        if (Barrier && t == 1) {
            barrier_of_all_threads();
        }
        r[t] = (t == 0 ? y : x).load(Load);
    }
};
const registration<litmus<store_buffering<relaxed, relaxed>, 0b1111>> sb{"litmus.store_buffering", 2};
const registration<litmus<store_buffering<release, acquire>, 0b1111>> sb_ra{"litmus.store_buffering_release",
                                                                            2};
const registration<litmus<store_buffering<in_order, in_order>, 0b1110>> sb_sc{
    "litmus.store_buffering_seq_cst", 2};
const registration<litmus<store_buffering<relaxed, relaxed, true>, 0b1110>> sb_barrier{
    "litmus.store_buffering_barrier", 2};

/// One stores a value and then a flag, the other reads the flag and then the value.
template <std::memory_order Store, std::memory_order Load>
struct message_passing : cells {
    void run(unsigned t) {
        if (t == 0) {
            x.store(1, relaxed);
            y.store(1, Store);
        } else {
            r[0] = y.load(Load);
            r[1] = x.load(relaxed);
        }
    }
};
const registration<litmus<message_passing<relaxed, acquire>, 0b1111>> mp{"litmus.message_passing", 2};
const registration<litmus<message_passing<release, relaxed>, 0b1111>> mp_r{"litmus.message_passing_release",
                                                                           2};
const registration<litmus<message_passing<release, acquire>, 0b1101>> mp_ra{"litmus.message_passing_acquire",
                                                                            2};

/// A third thread counts the flag up in between: the release goes on through it.
struct release_sequence : cells {
    void run(unsigned t) {
        if (t == 0) {
            x.store(1, relaxed);
            y.store(1, release);
        } else if (t == 1) {
            y.fetch_add(2, relaxed);
        } else {
            r[0] = y.load(acquire) == 3 ? 1 : 0;
            r[1] = x.load(relaxed);
        }
    }
};
const registration<litmus<release_sequence, 0b1101>> sequence{"litmus.release_sequence", 3};

/// Nobody reads backwards in the order of one atomic.
struct coherence : cells {
    void run(unsigned t) {
        if (t == 0) {
            x.store(1, relaxed);
            x.store(2, relaxed);
        } else {
            const unsigned first = x.load(relaxed);
            const unsigned second = x.load(relaxed);
            r[0] = first > second ? 1 : 0;
            r[1] = first < second ? 1 : 0;
        }
    }
};
const registration<litmus<coherence, 0b0101>> corr{"litmus.coherence", 2};

/// Two readers see the stores of two writers in opposite orders, but for seq_cst.
template <std::memory_order Store, std::memory_order Load>
struct independent_reads : cells {
    void run(unsigned t) {
        if (t < 2) {
            (t == 0 ? x : y).store(1, Store);
            return;
        }
        const unsigned at = (t - 2) * 2;
        r[at] = (t == 2 ? x : y).load(Load);
        r[at + 1] = (t == 2 ? y : x).load(Load);
    }
};
const registration<litmus<independent_reads<release, acquire>, 0xffff>> iriw{"litmus.independent_reads", 4};
const registration<litmus<independent_reads<in_order, in_order>, 0xffdf>> iriw_sc{
    "litmus.independent_reads_seq_cst", 4};

/// What is passed on is passed on: from the first to the second to the third.
struct causality : cells {
    void run(unsigned t) {
        if (t == 0) {
            x.store(1, relaxed);
            y.store(1, release);
        } else if (t == 1) {
            if (y.load(acquire) == 1) {
                z.store(1, release);
            }
        } else {
            r[0] = z.load(acquire);
            r[1] = x.load(relaxed);
        }
    }
    policy::atomic<unsigned> z{0};
};
const registration<litmus<causality, 0b1101>> wrc{"litmus.causality", 3};

/// Of two that add, neither is lost, whatever the order.
struct updates : cells {
    void run(unsigned) {
        x.fetch_add(1, relaxed);
        unsigned seen = x.load(relaxed);
        while (!x.compare_exchange_strong(seen, seen + 1, relaxed, relaxed)) {
        }
    }
    [[nodiscard]] unsigned result() const { return x.load(relaxed) == 4 ? 1 : 0; }
};
const registration<litmus<updates, 0b10>> rmw{"litmus.updates", 2};

} // namespace model::of_litmus
