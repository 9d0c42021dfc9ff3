// SPDX-License-Identifier: Apache-2.0
// How many events a second the reader of traces gives, merged over threads, on one core: of a trace made here, of a
// program that churns blocks, or of any file. Each round next to a sum over the events alone, which is the floor.
#include "../../tests/tool/support/made_trace.hpp"
#include "trace/decode.hpp"
#include "trace/trace_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace linn::tool;

/// A thread's own course: blocks of a few sites and sizes, a few hundred live.
class churn {
public:
    churn(made_thread& thread, std::uint64_t seed)
        : thread_(thread),
          state_(seed * 2 + 1),
          base_(seed << 32) {}

    void step(std::uint64_t time) {
        const std::uint64_t r = next();
        std::uint64_t& place = live_[r % live_.size()];
        if (place != 0) {
            thread_.release(time, place);
            place = 0;
            return;
        }
        const auto site = static_cast<std::uint32_t>((r >> 20) % 40);
        place = base_ + 0x1000 + 64 * ((r >> 30) % 20'000);
        thread_.allocate(time, place, 24 + 8 * (site % 11), site + 1);
    }

private:
    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }

    made_thread& thread_;
    std::vector<std::uint64_t> live_ = std::vector<std::uint64_t>(512);
    std::uint64_t state_;
    std::uint64_t base_;
};

void make(const std::filesystem::path& file, std::uint64_t events, unsigned threads) {
    made_trace trace{file};
    std::vector<churn> courses;
    for (unsigned i = 0; i != threads; ++i) {
        made_thread& t = trace.thread(1, 100, i + 1, 100 + i);
        if (i == 0) {
            for (std::uint32_t s = 1; s <= 40; ++s) {
                t.define_stack(0, s, {0x401000 + s, 0x402000 + s / 4, 0x403000});
            }
        }
        courses.emplace_back(t, i + 1);
    }
    for (std::uint64_t i = 0; i != events; ++i) {
        courses[i % threads].step(i * 3);
    }
}

/// CPU time of this process in nanoseconds: what else runs here stretches the wall time.
std::uint64_t cpu_now() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

double seconds_since(std::uint64_t start) {
    return static_cast<double>(cpu_now() - start) / 1e9;
}

struct figures {
    double read = 1e9;    ///< seconds
    double frames = 1e9;  ///< decompression alone
    double decoded = 1e9; ///< decompression and decoding, without merging
    std::uint64_t events = 0;
};

void measure(const std::filesystem::path& file, figures& best) {
    std::uint64_t sum = 0;
    {
        const std::uint64_t start = cpu_now();
        trace_reader reader{file};
        std::uint64_t events = 0;
        reader.read([&](std::span<const event> batch) {
            events += batch.size();
            for (const event& e : batch) {
                sum += e.address + e.bytes;
            }
        });
        best.read = std::min(best.read, seconds_since(start));
        best.events = events;
    }
    for (const bool decodes : {false, true}) {
        const std::uint64_t start = cpu_now();
        trace_file chunks{file};
        std::vector<unsigned char> raw;
        for (const frame_place& frame : chunks.frames()) {
            if (frame.header.kind == frame_kind::chunk && chunks.payload(frame, raw)) {
                sum += raw.size();
                if (decodes) {
                    sum += frame_of_chunk(raw).header.events;
                }
            }
        }
        double& into = decodes ? best.decoded : best.frames;
        into = std::min(into, seconds_since(start));
    }
    asm volatile("" : : "r"(sum));
}

void report(const std::string& name, const figures& f, std::uintmax_t bytes) {
    const auto events = static_cast<double>(f.events);
    fmt::print("{:<12}{:>12}{:>9.2f}{:>14.1f}{:>14.1f}{:>14.1f}\n", name, f.events,
               static_cast<double>(bytes) / events, events / f.frames / 1e6, events / f.decoded / 1e6,
               events / f.read / 1e6);
}

} // namespace

int main(int argc, char** argv) {
    CLI::App arguments{"Events a second that the reader of traces gives"};
    std::uint64_t events = 10'000'000;
    unsigned rounds = 5;
    bool is_quick = false;
    std::string given;
    arguments.add_option("--events", events, "of each trace that is made (default 10 million)");
    arguments.add_option("--rounds", rounds, "of which the fastest counts (default 5)");
    arguments.add_option("--file", given, "read this trace, too");
    arguments.add_flag("--quick", is_quick, "a small size, to see that it works");
    CLI11_PARSE(arguments, argc, argv);
    if (is_quick) {
        events = 100'000;
        rounds = 1;
    }
    const std::filesystem::path made =
        std::filesystem::temp_directory_path() / fmt::format("linn-bench-{}.linn", ::getpid());
    fmt::print("million events a second of CPU time, the fastest of {} rounds\n", rounds);
    fmt::print("{:<12}{:>12}{:>9}{:>14}{:>14}{:>14}\n", "trace", "events", "B/event", "unpacked", "decoded",
               "merged");
    for (const unsigned threads : {1u, 8u, 64u}) {
        make(made, events, threads);
        figures best;
        for (unsigned i = 0; i != rounds; ++i) {
            measure(made, best);
        }
        report(fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"), best,
               std::filesystem::file_size(made));
        std::filesystem::remove(made);
    }
    if (!given.empty()) {
        figures best;
        for (unsigned i = 0; i != rounds; ++i) {
            measure(given, best);
        }
        report("the file", best, std::filesystem::file_size(given));
    }
}
