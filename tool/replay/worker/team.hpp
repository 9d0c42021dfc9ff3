// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stream.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

namespace linn::tool::worker {

/// What a whole replay did.
struct replay_report {
    std::uint64_t cpu_ns = 0;  ///< of all threads, without waiting for each other
    std::uint64_t wait_ns = 0; ///< CPU time of that waiting
    std::uint64_t wall_ns = 0;
    std::uint64_t waits = 0;
    std::uint64_t checksum = 0;
    std::uint64_t wrong_blocks = 0;
    const char* failure = nullptr;
};

/// Called when a stream cannot go on: others may be waiting for it, so the process ends.
[[noreturn]] void give_up(const char* why) noexcept;

/// Executes all streams of a program: the first in this thread, as the recorded main thread, each other one in a thread
/// that starts when a stream says so.
template <class Source, touch How>
class team final : stream_starter {
public:
    team(const program_view& program, Source source) noexcept : program_{program}, source_{source} {}

    replay_report run() {
        const std::size_t streams = program_.header().streams;
        members_ = static_cast<member*>(map_memory(streams * sizeof(member), true));
        if (members_ == nullptr) {
            give_up("there is not enough memory to replay");
        }
        for (std::size_t i = 0; i != streams; ++i) {
            ::new (&members_[i]) member{this, static_cast<std::uint32_t>(i)};
        }
        replay_report all;
        const std::uint64_t wall = now_ns();
        const std::uint64_t busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (streams != 0) {
            run_member(members_[0]);
        }
        // A member is started by one that is joined before it, or that is this thread: the lower number.
        for (std::size_t i = 1; i != streams; ++i) {
            if (members_[i].is_started) {
                ::pthread_join(members_[i].thread, nullptr);
            }
        }
        all.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - busy;
        all.wall_ns = now_ns() - wall;
        for (std::size_t i = 0; i != streams; ++i) {
            const stream_report& r = members_[i].report;
            all.wait_ns += r.waiting.cpu_ns;
            all.waits += r.waiting.waits;
            all.checksum += r.checksum;
            all.wrong_blocks += r.wrong_blocks;
        }
        all.cpu_ns -= all.wait_ns < all.cpu_ns ? all.wait_ns : all.cpu_ns;
        return all;
    }

private:
    struct member {
        team* whole;
        std::uint32_t number;
        bool is_started = false;
        pthread_t thread{};
        stream_report report{};
    };

    bool start(std::uint32_t stream) override {
        constexpr std::size_t stack_bytes = std::size_t{1} << 20;
        pthread_attr_t attributes;
        ::pthread_attr_init(&attributes);
        ::pthread_attr_setstacksize(&attributes, stack_bytes);
        member& m = members_[stream];
        m.is_started = true;
        const auto body = [](void* p) -> void* {
            member& self = *static_cast<member*>(p);
            self.whole->run_member(self);
            return nullptr;
        };
        const int error = ::pthread_create(&m.thread, &attributes, body, &m);
        ::pthread_attr_destroy(&attributes);
        return error == 0;
    }

    void run_member(member& m) noexcept {
        try {
            m.report = stream_runner<Source, How>{program_, source_, *this}.run(m.number);
        } catch (const std::exception& e) {
            give_up(e.what());
        }
        if (m.report.failure != nullptr) {
            give_up(m.report.failure);
        }
    }

    const program_view& program_;
    Source source_;
    member* members_ = nullptr;
};

} // namespace linn::tool::worker
