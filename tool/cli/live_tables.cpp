// SPDX-License-Identifier: Apache-2.0
#include "live_tables.hpp"

#include "../analysis/accumulator.hpp"
#include "../measure/quantity.hpp"
#include "../profile/trace_view.hpp"
#include "../record/collector.hpp"
#include "../report/commands/trace_report.hpp"
#include "../report/render/render.hpp"
#include "../symbols/short_name.hpp"
#include "../trace/frame.hpp"
#include "../trace/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <variant>
#include <vector>

namespace linn::tool {
namespace {

using clock = std::chrono::steady_clock;
using figures::unit;
using namespace std::chrono_literals;

constexpr clock::duration between_drawings = 1s;
constexpr int share_of_time = 10;        // drawing takes at most one part in so many
constexpr std::size_t lines_of_text = 8; // on the screen, besides the rows of the table
constexpr std::size_t letters_of_type = 60;

/// Whether a screen can be drawn again in its place.
bool is_screen() {
    const char* const kind = std::getenv("TERM");
    return stderr_terminal_height() != 0 && kind != nullptr && std::string_view{kind} != "dumb";
}

/// "2.0 s: live 7.12 MiB in 6295 blocks, of 40.2 k allocated; most of it is leaked_node".
std::string lead_of(const trace_view& view, clock::duration since) {
    const auto text = [](unit u, double value) { return figures::written(u, value); };
    return fmt::format(
        "{}: live {} in {}, of {} allocated{}",
        text(unit::nanoseconds, std::chrono::duration<double, std::nano>{since}.count()),
        text(unit::bytes, static_cast<double>(view.all.bytes)), figures::counted(view.all.blocks, "block"),
        figures::counted(view.allocated.blocks, "block"),
        view.types.empty() ? std::string{}
                           : "; most of it is " + short_type(view.types.front().label, letters_of_type));
}

} // namespace

void live_tables::begin(const ring_file& ring, const std::filesystem::path& trace, std::uint32_t only_pid) {
    ring_ = &ring;
    trace_ = trace;
    only_pid_ = only_pid;
    begun_ = clock::now();
    thread_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
}

void live_tables::end() {
    thread_ = {}; // asks it to stop, and joins it
}

void live_tables::work(const std::stop_token& stop) {
    clock::duration pause = between_drawings;
    for (;;) {
        std::unique_lock lock{mutex_};
        wakes_.wait_for(lock, stop, pause, [] { return false; });
        if (stop.stop_requested()) {
            return;
        }
        const clock::time_point began = clock::now();
        draw(stop);
        pause = std::max(between_drawings, share_of_time * (clock::now() - began));
    }
}

/// What the threads have not handed over yet. A chunk that is handed over before the file is read is then there twice, and
/// the reader takes the one in the file.
std::vector<unsigned char> live_tables::frames_in_ring() const {
    std::vector<unsigned char> frames;
    std::vector<unsigned char> copy;
    const wire::ring& ring = ring_->ring();
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        if (!copy_owned(ring, i, copy)) {
            continue;
        }
        const chunk_frame frame = frame_of_chunk(copy);
        if (frame.payload.empty() || (only_pid_ != 0 && frame.header.pid != only_pid_)) {
            continue;
        }
        frame_header header = frame.header;
        header.describe(frame.payload);
        const auto head = header.pack();
        frames.insert(frames.end(), head.begin(), head.end());
        frames.insert(frames.end(), frame.payload.begin(), frame.payload.end());
    }
    return frames;
}

void live_tables::draw(const std::stop_token& stop) {
    try {
        trace_reader reader{trace_, may_be_sample, frames_in_ring()};
        accumulator counted{reader.info()};
        reader.read([&](std::span<const event> events) { counted.take(events); },
                    [&](double) { return !stop.stop_requested(); });
        if (stop.stop_requested()) {
            return;
        }
        naming names;
        names.name = [this](const allocation_site& site) { return namer_.name(site); };
        names.about = [this](const std::string& module, const std::string& build_id) {
            return symbols_.about(module, build_id);
        };
        show(name_profile(trace_, counted.finish(reader.info()), names));
    } catch (const unusable_trace&) {
        // Nothing was written yet, or the user has moved the file.
    }
}

void live_tables::show(const trace_profile& profile) const {
    const trace_view view = look_at(profile, block_filter::leaks);
    std::string lead = lead_of(view, clock::now() - begun_);
    if (!is_screen()) {
        fmt::print(stderr, "linn record: {}\n", lead);
        return;
    }
    const std::size_t height = stderr_terminal_height();
    const std::size_t rows = height > lines_of_text ? height - lines_of_text : 1;
    report::document d = report::trace_view_document(profile, view, rows);
    d.lead = std::move(lead);
    d.introduction.clear();
    d.warnings.clear();
    std::erase_if(d.sections, [](const report::section& s) { return s.id != "types"; });
    for (report::section& types : d.sections) {
        std::get<report::table>(types.blocks.front().content).caption = "Types, by live bytes";
    }
    // From the upper left corner, over what was there.
    fmt::print(stderr, "\033[H\033[J{}", report::render_terminal(d, style_of_stderr()));
}

} // namespace linn::tool
