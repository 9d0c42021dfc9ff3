// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure.hpp"
#include "../team.hpp"
#include "pairs.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace linn::tool::worker {

inline constexpr unsigned team_sizes[] = {1, 2, 4, 8, 16};
/// More than two magazines of a pool hold at first, so that batches go through the depot.
inline constexpr std::size_t batch = 1'000;

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

template <class Source>
[[gnu::noinline]] void hot_pairs(std::size_t pairs) {
    for (std::size_t i = 0; i != pairs; ++i) {
        void* p = Source::take();
        escape(p);
        Source::give(p);
    }
}

template <class Source>
[[gnu::noinline]] void allocate_batch(void** live) {
    for (std::size_t i = 0; i != batch; ++i) {
        live[i] = Source::take();
        escape(live[i]);
    }
}

template <class Source>
[[gnu::noinline]] void free_batch(void** live) {
    for (std::size_t i = 0; i != batch; ++i) {
        Source::give(live[i]);
        escape(live);
    }
}

/// The scenario scaling for one source: pairs, batches, and batches that the next thread frees. A figure is the time of a core,
/// not of a thread, so perfect scaling is flat, also where threads outnumber cores and take turns.
template <class Source>
class scaling_run {
public:
    explicit scaling_run(const options& o) : pairs_{o.scaled(1'600'000)} {
        result_.waits = true;
        result_.work_check = pairs_;
    }

    outcome perform() {
        for (const unsigned threads : team_sizes) {
            // The same work in all at every size, or 16 threads would take eight times as long.
            const std::size_t each = pairs_ / std::max(threads, 2u);
            const std::size_t batches = std::max<std::size_t>(each / batch, 4);
            add(threads, "hot", each, [] { return [](std::size_t n) { hot_pairs<Source>(n); }; });
            mapped_array<void*> buffers{threads * batch};
            std::atomic<unsigned> started{0};
            add(threads, "batch", batches * batch, [&] {
                return [mine = buffers.begin() + started.fetch_add(1) * batch](std::size_t n) {
                    for (std::size_t done = 0; done != n; done += batch) {
                        allocate_batch<Source>(mine);
                        free_batch<Source>(mine);
                    }
                };
            });
            std::vector<mailbox> boxes(threads);
            started = 0;
            add(threads, "hand_over", batches / 4 * batch, [&] {
                const unsigned me = started.fetch_add(1);
                return [&, me, mine = buffers.begin() + me * batch](std::size_t n) mutable {
                    for (std::size_t done = 0; done != n; done += batch) {
                        allocate_batch<Source>(mine);
                        boxes[(me + 1) % threads].post(mine);
                        mine = boxes[me].receive();
                        free_batch<Source>(mine);
                    }
                };
            });
        }
        return std::move(result_);
    }

private:
    template <class Make>
    void add(unsigned threads, const char* load, std::size_t operations, const Make& make) {
        const unsigned cpus = usable_cpus();
        const counts before = count();
        double share = 1;
        phase p = measure_passes(std::to_string(threads) + '_' + load, threads, operations, share, [&] {
            if (threads > cpus) {
                unpin_thread();
            }
            return make();
        });
        if (threads <= cpus) { // more have to wait for one another
            result_.cpu_share = std::min(result_.cpu_share, share);
        }
        p.cycles_per_operation *= static_cast<double>(std::min(threads, cpus)) / threads;
        if constexpr (has_statistics) {
            const counts after = count();
            p.metrics = {{"depot_visits", after.visits - before.visits},
                         {"contended", after.contended - before.contended}};
        }
        result_.phases.push_back(std::move(p));
    }

    static constexpr bool has_statistics = requires { Source::statistics(); };

    /// How often threads met at the pool's depot so far, and found its lock taken.
    struct counts {
        double visits = 0;
        double contended = 0;
    };
    static counts count() {
        if constexpr (has_statistics) {
            const auto s = Source::statistics();
            return {static_cast<double>(s.depot_visits), static_cast<double>(s.contended)};
        } else {
            return {};
        }
    }

    std::size_t pairs_;
    outcome result_;
};

template <class Source>
outcome run_scaling(const options& o) {
    return scaling_run<Source>{o}.perform();
}

} // namespace linn::tool::worker
