// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/worker/pipeline/pipeline.hpp"
#include "support/workload.hpp"

#include <string>

namespace linn::bench::packets {

inline constexpr const char* flat_out = "flat out";

/// Several runs of the tool's pipeline, flat out, on two cores; each way of holding a packet is a contender.
template <class Way>
void measure(sampler& s) {
    namespace worker = tool::worker;
    const std::size_t packets = s.quick() ? 2'000 : 1'000'000;
    worker::pin("auto");
    worker::run_packets<Way>(packets / 4, 0);
    for (int sample = 0; sample != 3; ++sample) {
        const worker::pipeline_run run = worker::run_packets<Way>(packets, 0);
        s.add(flat_out, static_cast<double>(run.ticks) / static_cast<double>(packets));
        if (sample == 2) {
            const std::string note =
                "receiver idle " + std::to_string(static_cast<int>(run.receiver_idle * 100)) +
                " %, worker idle " + std::to_string(static_cast<int>(run.worker_idle * 100)) + " %, peak " +
                std::to_string(worker::peak_rss_bytes() >> 20) + " MiB resident";
            s.note(note.c_str());
        }
    }
}

void run_general(sampler& s);
void run_locked_pool(sampler& s);
void run_spin_pool(sampler& s);
void run_linn_make_shared(sampler& s);
void run_linn_recycler(sampler& s);

} // namespace linn::bench::packets
