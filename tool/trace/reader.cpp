// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include "image_table.hpp"
#include "info.hpp"
#include "stream_cursor.hpp"
#include "trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace linn::tool {
namespace {

using clock = std::chrono::steady_clock;

/// What read() gives at once, unless one thread has more.
constexpr std::size_t out_batch = 1024;
/// A run of one thread's events that is given as it is; shorter ones are copied together.
constexpr std::size_t direct_run = 64;

const char* plural(std::uint64_t n) {
    return n == 1 ? "" : "s";
}

/// Gathers events into batches.
class batcher {
public:
    explicit batcher(const std::function<void(std::span<const event>)>& take) : take_(take) {}

    void add(std::span<const event> run) {
        total_ += run.size();
        if (run.size() >= direct_run) {
            flush();
            take_(run);
            return;
        }
        if (run.size() > out_batch - count_) {
            flush();
        }
        std::copy(run.begin(), run.end(), events_.begin() + static_cast<std::ptrdiff_t>(count_));
        count_ += run.size();
    }
    void flush() {
        if (count_ != 0) {
            take_({events_.data(), count_});
        }
        count_ = 0;
    }
    std::uint64_t total() const noexcept { return total_; }

private:
    const std::function<void(std::span<const event>)>& take_;
    std::array<event, out_batch> events_;
    std::size_t count_ = 0;
    std::uint64_t total_ = 0;
};

/// The cursors by the time of their next event, the earliest first: a binary heap.
class cursor_heap {
public:
    void add(stream_cursor& cursor) {
        places_.push_back({cursor.time(), &cursor});
        for (std::size_t i = places_.size() - 1; i != 0 && places_[i].time < places_[(i - 1) / 2].time;
             i = (i - 1) / 2) {
            std::swap(places_[i], places_[(i - 1) / 2]);
        }
    }
    bool empty() const noexcept { return places_.empty(); }
    stream_cursor& first() const noexcept { return *places_.front().cursor; }
    /// The time of the second.
    std::uint64_t limit() const noexcept {
        switch (places_.size()) {
        case 1:
            return std::numeric_limits<std::uint64_t>::max();
        case 2:
            return places_[1].time;
        default:
            return std::min(places_[1].time, places_[2].time);
        }
    }
    /// The first one's time has changed.
    void settle() noexcept {
        const place moved{places_.front().cursor->time(), places_.front().cursor};
        sink(moved);
    }
    void drop_first() noexcept {
        const place last = places_.back();
        places_.pop_back();
        if (!places_.empty()) {
            sink(last);
        }
    }

private:
    struct place {
        std::uint64_t time;
        stream_cursor* cursor;
    };

    void sink(const place& moved) noexcept {
        std::size_t i = 0;
        const std::size_t size = places_.size();
        for (std::size_t child = 1; child < size; child = 2 * i + 1) {
            if (child + 1 < size && places_[child + 1].time < places_[child].time) {
                ++child;
            }
            if (places_[child].time >= moved.time) {
                break;
            }
            places_[i] = places_[child];
            i = child;
        }
        places_[i] = moved;
    }

    std::vector<place> places_;
};

} // namespace

class trace_reader::state {
public:
    state(const std::filesystem::path& path, std::vector<unsigned char> unwritten)
        : file_{path, std::move(unwritten)} {
        read_facts();
        plan();
        collect_records();
    }

    void read(const std::function<void(std::span<const event>)>& take,
              const std::function<bool(double)>& progress);

    const trace_info& info() const noexcept { return info_; }

private:
    void read_facts();
    void apply(const recording_start& start);
    void apply(const recording_end& end);
    void apply(const second_run& run);
    void plan();
    void collect_records();
    void tell_missing(const reading_damage& damage);
    double seconds_until(std::uint64_t ticks) const;

    trace_file file_;
    trace_info info_;
    tick_scale scale_;
    std::optional<image_table> images_;
    std::vector<stream_cursor> streams_;
    std::vector<const frame_place*> with_records_;
    std::uint64_t chunk_bytes_ = 0; ///< stored
    std::uint64_t last_ticks_ = 0;  ///< of all events
    std::uint64_t written_ = 0;     ///< events, as the headers of the chunks say
    std::optional<recording_end> end_;
    std::vector<std::string> known_damage_; ///< before reading
};

void trace_reader::state::apply(const recording_start& s) {
    static_cast<recording_start&>(info_) = s;
    scale_ = {s.start_ticks, 1 / s.ticks_per_ns};
}

void trace_reader::state::apply(const recording_end& e) {
    static_cast<recording_end&>(info_) = e;
    if (e.exact_ticks_per_ns != 0) {
        scale_.ns_per_tick = 1 / e.exact_ticks_per_ns;
        info_.ticks_per_ns = e.exact_ticks_per_ns;
    }
    end_ = e;
}

void trace_reader::state::apply(const second_run& r) {
    info_.baseline_cpu_ns = r.cpu_ns;
    info_.baseline_wall_ns = r.wall_ns;
    info_.baseline_system_ns = r.system_ns;
    info_.baseline_page_faults = r.page_faults;
    info_.baseline_times = r.times;
}

void trace_reader::state::read_facts() {
    info_.version = file_.version();
    info_.file_bytes = file_.size();
    known_damage_ = file_.damage();
    bool has_start = false;
    std::vector<unsigned char> raw;
    for (const frame_place& frame : file_.frames()) {
        const frame_kind kind = frame.header.kind;
        if (kind == frame_kind::start && !has_start && file_.payload(frame, raw)) {
            const std::optional<recording_start> s = read_recording_start(raw);
            if (s && s->clock != "tsc") {
                throw unusable_trace{fmt::format("{} has events without times, from linn 0.2 with --clock: "
                                                 "record the program again",
                                                 file_.path().string())};
            }
            if (s) {
                apply(*s);
                has_start = true;
            }
        } else if (kind == frame_kind::end && !end_ && file_.payload(frame, raw)) {
            if (const std::optional<recording_end> e = read_recording_end(raw)) {
                apply(*e);
            }
        } else if (kind == frame_kind::second_run && file_.payload(frame, raw)) {
            if (const std::optional<second_run> r = read_second_run(raw)) {
                apply(*r);
            }
        } else if (kind == frame_kind::aggregate) {
            throw unusable_trace{fmt::format("{} holds statistics instead of events, from linn 0.2 with "
                                             "--aggregate: record the program again",
                                             file_.path().string())};
        }
    }
    if (!has_start) {
        known_damage_.push_back("its first frame is missing or damaged: the command and the clock's "
                                "rate are unknown, so times are wrong");
    }
}

/// Which chunks belong to which writer, and in what order; all from the headers.
void trace_reader::state::plan() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const frame_place*>> streams;
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (const frame_place& frame : file_.frames()) {
        if (frame.header.kind == frame_kind::chunk) {
            streams[{frame.header.image, frame.header.stream}].push_back(&frame);
            earliest = std::min(earliest, frame.header.first_time);
        }
    }
    if (scale_.start == 0 && !streams.empty()) {
        scale_.start = earliest;
    }
    images_.emplace(info_, scale_);
    info_.events = 0;
    std::uint64_t missing = 0;
    for (auto& [key, chunks] : streams) {
        std::sort(chunks.begin(), chunks.end(), [](const frame_place* a, const frame_place* b) {
            return std::pair{a->header.sequence, a->payload} < std::pair{b->header.sequence, b->payload};
        });
        const auto same = [](const frame_place* a, const frame_place* b) {
            return a->header.sequence == b->header.sequence;
        };
        chunks.erase(std::unique(chunks.begin(), chunks.end(), same), chunks.end());
        missing += chunks.back()->header.sequence + 1 - chunks.size();
        for (const frame_place* chunk : chunks) {
            const frame_header& h = chunk->header;
            images_->add(h);
            info_.events += h.events;
            last_ticks_ = std::max(last_ticks_, h.last_time);
            chunk_bytes_ += h.stored_bytes;
            if (h.records != 0) {
                with_records_.push_back(chunk);
            }
        }
        streams_.emplace_back(std::move(chunks));
    }
    if (missing != 0) {
        known_damage_.push_back(fmt::format("{} chunk{} of events {} missing", missing, plural(missing),
                                            missing == 1 ? "is" : "are"));
    }
}

/// Reads what events refer to before any event: a stack may be told later, by another thread, than it is used.
void trace_reader::state::collect_records() {
    std::sort(with_records_.begin(), with_records_.end(), [](const frame_place* a, const frame_place* b) {
        return std::pair{a->header.first_time, a->payload} < std::pair{b->header.first_time, b->payload};
    });
    std::vector<unsigned char> raw;
    for (const frame_place* chunk : with_records_) {
        if (file_.payload(*chunk, raw)) {
            images_->collect(chunk->header, raw); // a damaged one is told when its events are read
        }
    }
    images_->resolve();
    with_records_.clear();
    if (info_.dropped == 0) {
        for (const trace_process& p : info_.processes) {
            info_.dropped += p.dropped;
        }
    }
    written_ = info_.events;
    tell_missing({});
}

double trace_reader::state::seconds_until(std::uint64_t ticks) const {
    return ticks <= scale_.start ? 0 : static_cast<double>(ticks - scale_.start) * scale_.ns_per_tick * 1e-9;
}

void trace_reader::state::tell_missing(const reading_damage& d) {
    info_.missing = known_damage_;
    std::vector<std::string>& missing = info_.missing;
    if (!end_) {
        missing.push_back(fmt::format(
            "its end is missing, because linn record was killed or still runs, or the copy is incomplete: "
            "its "
            "events end after {:.3g} s, and how many followed is not known; copy it again, or record again",
            seconds_until(last_ticks_)));
    } else {
        if (!end_->stopped.empty()) {
            const double whole = static_cast<double>(end_->duration_ns) * 1e-9;
            missing.push_back(fmt::format(
                "the recording stopped before the program did: {} recorded event{} could not be written, and "
                "nothing is known after the first {:.3g} s of {:.3g} s: {}",
                end_->unwritten, plural(end_->unwritten),
                std::min(whole, static_cast<double>(end_->stopped_at_ns) * 1e-9), whole, end_->stopped));
        }
        if (end_->damaged_chunks != 0) {
            missing.push_back(fmt::format("the program overwrote the end of {} chunk{} of events",
                                          end_->damaged_chunks, plural(end_->damaged_chunks)));
        }
        if (written_ < end_->events) {
            missing.push_back(
                fmt::format("{} of {} events are not in the file", end_->events - written_, end_->events));
        }
    }
    if (info_.dropped != 0) {
        missing.push_back(fmt::format("{} event{} {} dropped while recording", info_.dropped,
                                      plural(info_.dropped), info_.dropped == 1 ? "was" : "were"));
    }
    if (d.chunks != 0) {
        missing.push_back(fmt::format("{} chunk{} with {} event{} {} damaged and left out, the first at "
                                      "byte {}",
                                      d.chunks, plural(d.chunks), d.events, plural(d.events),
                                      d.chunks == 1 ? "is" : "are", d.first_at));
    }
    if (d.cut != 0) {
        missing.push_back(fmt::format("{} chunk{} make{} sense only at the beginning: {}", d.cut,
                                      plural(d.cut), d.cut == 1 ? "s" : "", d.first_reason));
    }
}

void trace_reader::state::read(const std::function<void(std::span<const event>)>& take,
                               const std::function<bool(double)>& progress) {
    reading_context context{file_, *images_, scale_};
    cursor_heap heap;
    for (stream_cursor& stream : streams_) {
        stream.rewind(scale_);
        heap.add(stream);
    }
    batcher out{take};
    clock::time_point told = clock::now();
    std::uint64_t seen_bytes = 0;
    bool goes_on = true;
    while (!heap.empty() && goes_on) {
        stream_cursor& cursor = heap.first();
        const std::span<const event> ready = cursor.events();
        if (ready.empty()) {
            if (!cursor.advance(context)) {
                heap.drop_first();
                continue;
            }
            heap.settle();
            if (progress && context.stored_bytes != seen_bytes &&
                clock::now() - told > std::chrono::milliseconds{100}) {
                told = clock::now();
                seen_bytes = context.stored_bytes;
                goes_on = progress(static_cast<double>(seen_bytes) /
                                   static_cast<double>(std::max<std::uint64_t>(chunk_bytes_, 1)));
            }
            continue;
        }
        const std::uint64_t limit = heap.limit();
        std::size_t run = 1;
        if (ready.back().time <= limit) {
            run = ready.size();
        } else {
            while (ready[run].time <= limit) { // ends before the last, whose time is beyond the limit
                ++run;
            }
        }
        out.add(ready.first(run));
        cursor.take(run);
        heap.settle();
    }
    out.flush();
    for (stream_cursor& stream : streams_) {
        stream.close(context);
    }
    if (goes_on) {
        info_.events = out.total();
        tell_missing(context.damage);
    }
}

trace_reader::trace_reader(const std::filesystem::path& file, sample_policy samples,
                           std::vector<unsigned char> unwritten)
    : state_{std::make_unique<state>(file, std::move(unwritten))} {
    if (samples == sample_policy::refuse && info().sample_bytes != 0) {
        throw unusable_trace{
            fmt::format("{} holds a sample of the blocks, one in {} bytes, and this takes all of "
                        "them: record without --sample",
                        file.string(), info().sample_bytes)};
    }
}

trace_reader::~trace_reader() = default;

void trace_reader::read(const std::function<void(std::span<const event>)>& take,
                        const std::function<bool(double)>& progress) {
    state_->read(take, progress);
}

const trace_info& trace_reader::info() const noexcept {
    return state_->info();
}

} // namespace linn::tool
