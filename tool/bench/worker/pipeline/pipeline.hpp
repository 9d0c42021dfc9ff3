// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../packet.hpp"
#include "../team.hpp"
#include "../variant.hpp"
#include "ring.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

namespace linn::tool::worker {

/// Frames of 64 bytes on 10 Gbit/s, preamble and gap included: 10^10 / (84 * 8).
inline constexpr double line_rate = 14.88e6;

inline constexpr std::size_t ring_capacity = 1'024;
inline constexpr std::size_t receive_burst = 32; // what drivers hand over at once

/// What both threads saw of one run.
struct pipeline_run {
    std::uint64_t ticks = 0;
    double receiver_idle = 0; ///< share of its time with the ring full or the next frames not there yet
    double worker_idle = 0;   ///< share of its time with the ring empty
    std::uint64_t faults = 0;
    std::uint64_t checksum = 0;
    double least_share = 1;
};

/// One thread receives: takes a packet, fills a header and a few lines, pushes it. The other processes: reads them and
/// lets the packet go. `ticks_a_packet` 0: as fast as it goes; else frames arrive at that pace, in bursts.
/// `Way` has a `handle create()`; a default-constructed handle owns nothing.
template <class Way>
pipeline_run run_packets(std::size_t packets, double ticks_a_packet) {
    using handle = decltype(std::declval<Way&>().create());
    const auto queue = std::make_unique<ring<handle, ring_capacity>>();
    pipeline_run result;
    std::array<std::uint64_t, 2> ends{};
    spin_barrier barrier{2};

    std::thread worker{[&] {
        pin_thread(1);
        barrier.wait();
        const std::uint64_t wall = now_ns();
        const std::uint64_t busy = cpu_ns();
        const std::uint64_t begin = ticks();
        std::uint64_t sum = 0;
        std::uint64_t waited = 0;
        for (std::size_t done = 0; done != packets;) {
            std::size_t n = queue->filled(receive_burst);
            if (n == 0) {
                const std::uint64_t since = ticks();
                for (patience p; (n = queue->filled(receive_burst)) == 0;) {
                    p.wait();
                }
                waited += ticks() - since;
            }
            for (std::size_t i = 0; i != n; ++i) {
                const handle h = queue->pop();
                std::uint64_t word = 0;
                for (const std::size_t at : {std::size_t{0}, std::size_t{56}, std::size_t{120}}) {
                    std::memcpy(&word, h->data + at, sizeof word);
                    sum += word;
                }
                sum += h->length;
            }
            queue->publish_popped();
            done += n;
        }
        ends[1] = ticks();
        result.least_share = static_cast<double>(cpu_ns() - busy) / static_cast<double>(now_ns() - wall);
        result.worker_idle = static_cast<double>(waited) / static_cast<double>(ends[1] - begin);
        result.checksum = sum;
        barrier.wait();
    }};

    {
        Way way;
        std::array<std::byte, 64> header{};
        barrier.wait();
        const std::uint64_t faults = page_faults();
        const std::uint64_t start = ticks();
        std::uint64_t waited = 0;
        for (std::size_t sent = 0; sent != packets;) {
            const std::size_t wanted = packets - sent < receive_burst ? packets - sent : receive_burst;
            // A burst is there when its last frame is.
            const std::uint64_t due =
                start + static_cast<std::uint64_t>(ticks_a_packet * static_cast<double>(sent + wanted));
            std::size_t n = queue->room(wanted);
            std::uint64_t now = ticks_a_packet != 0 || n == 0 ? ticks() : due;
            if (n == 0 || now < due) {
                const std::uint64_t since = now;
                for (patience p; (n = queue->room(wanted)) == 0 || now < due; now = ticks()) {
                    p.wait();
                }
                waited += ticks() - since;
            }
            for (std::size_t i = 0; i != n; ++i) {
                handle h = way.create();
                h->length = sent + i;
                std::memcpy(&header, &h->length, sizeof h->length);
                std::memcpy(h->data, header.data(), header.size());
                std::memset(h->data + 64, 1, 64);
                queue->push(std::move(h));
            }
            queue->publish_pushed();
            sent += n;
        }
        ends[0] = ticks();
        result.receiver_idle = static_cast<double>(waited) / static_cast<double>(ends[0] - start);
        barrier.wait();
        result.ticks = (ends[0] > ends[1] ? ends[0] : ends[1]) - start;
        result.faults = page_faults() - faults;
    }
    worker.join();
    return result;
}

/// The figures of one run as a phase.
inline phase pipeline_phase(std::string name, std::size_t packets, const pipeline_run& run) {
    const double all = static_cast<double>(run.ticks);
    const double count = static_cast<double>(packets);
    return {std::move(name),
            all / count,
            static_cast<double>(run.faults) / count,
            {{"receiver_idle", run.receiver_idle}, {"worker_idle", run.worker_idle}}};
}

/// The scenario pipeline for one way of holding a packet: flat out, then at the line rate of 10 Gbit/s.
template <class Way>
outcome run_pipeline(const options& o) {
    const std::size_t packets = o.scaled(600'000);
    outcome result;
    const std::uint64_t since = now_ns();
    const std::uint64_t start = ticks();
    run_packets<Way>(packets / 4 + 1, 0); // warms up, and tells how fast the counter runs
    const double ticks_a_second =
        static_cast<double>(ticks() - start) / static_cast<double>(now_ns() - since) * 1e9;

    const pipeline_run flat = run_packets<Way>(packets, 0);
    const pipeline_run line = run_packets<Way>(packets, ticks_a_second / line_rate);
    result.phases.push_back(pipeline_phase("flat_out", packets, flat));
    result.phases.push_back(pipeline_phase("line_rate", packets, line));
    result.cpu_share = std::min(flat.least_share, line.least_share);
    result.work_check = flat.checksum;
    if (flat.checksum != line.checksum) {
        result.error = "packets were lost or changed on the way";
    }
    return result;
}

} // namespace linn::tool::worker
