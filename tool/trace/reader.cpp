// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "../program/executable.hpp"
#include "decode.hpp"
#include "image_table.hpp"
#include "info.hpp"
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

using figures::agreeing;
using figures::counted;

/// For a trace with zero fills, with events without times, or with statistics instead of events.
[[noreturn]] static void refuse_old(const trace_file& file) {
    throw unusable_input{
        fmt::format("{} was recorded by linn 0.2, in a form that is no longer read: record the program again",
                    file.path().string())};
}

/// A decompressed chunk, decoded by and by.
class open_chunk : public wire::chunk_sink {
public:
    static constexpr std::size_t batch = 256;

    /// False when the payload is damaged.
    bool open(trace_file& file, const frame_place& place, const image_table& images) {
        image_ = &images.image(place.header.image);
        thread_ = images.thread(place.header);
        scale_ = images.scale;
        if (!file.payload(place, raw_)) {
            return false;
        }
        decoder_.emplace(std::as_bytes(std::span{raw_}), *this);
        has_more_ = decoder_->open();
        return has_more_;
    }

    /// Decodes the next events; false when there are none left.
    bool refill() {
        count_ = 0;
        if (has_more_) {
            has_more_ = decoder_->step(decoder_->result().events + batch);
        }
        ready_ = std::span{events_}.first(count_);
        return !ready_.empty();
    }

    /// Those decoded and not taken yet.
    std::span<const event> events() const noexcept { return ready_; }
    void take(std::size_t count) noexcept { ready_ = ready_.subspan(count); }

    /// Why decoding stopped before the end; null when it did not.
    const char* damage() const noexcept { return decoder_->result().damage; }

    void on_timed(std::uint64_t /*ticks*/, const wire::timed_record& r) {
        (r.is_of_release ? release_timing_ : timing_) = r.timing;
    }
    void on_event(const wire::raw_event& e) {
        events_[count_++] = {.kind = e.kind,
                             .call = e.call,
                             .alignment_log2 = e.alignment_log2,
                             .process = image_->index,
                             .thread = thread_,
                             .stack = e.stack == 0 ? 0 : image_->stack(e.stack),
                             .time = scale_.ns(e.ticks),
                             .address = e.address,
                             .old_address = e.old_address,
                             .bytes = e.bytes,
                             .timing = std::exchange(timing_, {}),
                             .release_timing = std::exchange(release_timing_, {})};
    }

private:
    std::vector<unsigned char> raw_;
    std::array<event, batch> events_;
    std::size_t count_ = 0;
    std::span<const event> ready_;
    const trace_image* image_ = nullptr;
    std::uint32_t thread_ = 0;
    tick_scale scale_;
    call_timing timing_; ///< of the next event
    call_timing release_timing_;
    std::optional<wire::chunk_decoder<open_chunk>> decoder_;
    bool has_more_ = false;
};

/// What the cursors of one reading share: where they read from, and what they met on the way.
struct trace_reader::progress_so_far {
    trace_file& file;
    const image_table& images;
    std::uint64_t stored_bytes = 0; ///< of the chunks opened so far
    std::uint64_t damaged = 0;      ///< chunks that could not be read
    std::uint64_t lost_events = 0;  ///< in them, as their headers say
    std::uint64_t first_damage = 0; ///< where the first of them is in the file
    std::uint64_t cut = 0;          ///< chunks of which only the begin makes sense
    const char* first_reason = nullptr;
};

/// The chunks of one writer in their order, of which one at a time is in memory, and only while its events are wanted.
class trace_reader::stream_cursor {
public:
    explicit stream_cursor(std::vector<const frame_place*> chunks) noexcept : chunks_(std::move(chunks)) {}

    /// Goes to the begin. @pre there is a chunk
    void rewind(const tick_scale& scale) noexcept {
        next_ = 0;
        chunk_.reset();
        time_ = scale.ns(chunks_.front()->header.first_time);
    }

    /// The time of the next event, or one that it is not before.
    std::uint64_t time() const noexcept { return time_; }
    /// Events at hand; none until advance() was called.
    std::span<const event> events() const noexcept {
        return chunk_ ? chunk_->events() : std::span<const event>{};
    }
    /// Takes the first of them, and knows the time of the next. @pre count is not 0
    void take(std::size_t count) noexcept {
        chunk_->take(count);
        if (!chunk_->events().empty()) {
            time_ = chunk_->events().front().time;
        }
    }

    /// One step towards more events: decodes some, or opens a chunk, or finds out when the next one begins. Call it
    /// when there are none at hand; false at the end of all.
    bool advance(progress_so_far& reading) {
        if (chunk_ && chunk_->refill()) {
            time_ = chunk_->events().front().time;
            return true;
        }
        if (!chunk_) {
            const frame_place& place = *chunks_[next_++];
            reading.stored_bytes += place.header.stored_bytes;
            chunk_ = std::make_unique<open_chunk>();
            if (chunk_->open(reading.file, place, reading.images)) {
                return true;
            }
            if (reading.damaged++ == 0) {
                reading.first_damage = place.payload - frame_header::bytes;
            }
            reading.lost_events += place.header.events;
        } else if (const char* const reason = chunk_->damage(); reason == wire::unknown_event) {
            refuse_old(reading.file);
        } else if (reason != nullptr) {
            ++reading.cut;
            reading.first_reason = reading.first_reason == nullptr ? reason : reading.first_reason;
        }
        chunk_.reset();
        if (next_ == chunks_.size()) {
            return false;
        }
        time_ = std::max(time_, reading.images.scale.ns(chunks_[next_]->header.first_time));
        return true;
    }

private:
    std::vector<const frame_place*> chunks_;
    std::size_t next_ = 0; ///< chunk to be opened
    std::unique_ptr<open_chunk> chunk_;
    std::uint64_t time_ = 0;
};

trace_reader::trace_reader(const std::filesystem::path& file, sample_policy samples,
                           std::vector<unsigned char> unwritten)
    : file_{file, std::move(unwritten)},
      images_{std::make_unique<image_table>(info_)} {
    read_facts();
    collect_records(plan());
    if (samples == sample_policy::refuse && info_.sample_bytes != 0) {
        throw unusable_input{
            fmt::format("{} holds a sample of the blocks, one in {} bytes, and all are needed: "
                        "record without --sample",
                        file.string(), info_.sample_bytes)};
    }
}

trace_reader::~trace_reader() = default;

void trace_reader::read_facts() {
    info_.version = file_.version();
    info_.file_bytes = file_.size();
    known_damage_ = file_.damage();
    bool has_start = false;
    std::vector<unsigned char> raw;
    for (const frame_place& frame : file_.frames()) {
        const frame_kind kind = frame.header.kind;
        if (kind == frame_kind::start && !has_start && file_.payload(frame, raw)) {
            const auto s = parse_facts<recording_start>(raw);
            if (s && (s->clock != "tsc" || s->contents != "all")) {
                refuse_old(file_);
            }
            if (s && is_rate(s->ticks_per_ns) && s->sample_bytes <= sampling::most_mean) {
                static_cast<recording_start&>(info_) = *s;
                images_->scale = {s->start_ticks, 1 / s->ticks_per_ns};
                has_start = true;
            }
        } else if (kind == frame_kind::end && !end_ && file_.payload(frame, raw)) {
            if (end_ = parse_facts<recording_end>(raw); end_) {
                const double ticks_per_ns =
                    is_rate(end_->exact_ticks_per_ns) ? end_->exact_ticks_per_ns : info_.ticks_per_ns;
                static_cast<recording_end&>(info_) = *end_;
                images_->scale.ns_per_tick = 1 / ticks_per_ns;
                info_.ticks_per_ns = ticks_per_ns;
            }
        } else if (kind == frame_kind::second_run && file_.payload(frame, raw)) {
            if (const auto r = parse_facts<second_run>(raw)) {
                info_.baseline = *r;
            }
        } else if (kind == frame_kind::aggregate) {
            refuse_old(file_);
        }
    }
    if (!has_start) {
        known_damage_.push_back("its first frame is missing or damaged: the command and the clock's "
                                "rate are unknown, so times are wrong");
    }
}

/// Which chunks belong to which writer, and in what order; all from the headers. Returns those with records.
std::vector<const frame_place*> trace_reader::plan() {
    std::vector<const frame_place*> with_records;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const frame_place*>> streams;
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (const frame_place& frame : file_.frames()) {
        if (frame.header.kind == frame_kind::chunk) {
            streams[{frame.header.image, frame.header.stream}].push_back(&frame);
            earliest = std::min(earliest, frame.header.first_time);
        }
    }
    if (images_->scale.start == 0 && !streams.empty()) {
        images_->scale.start = earliest;
    }
    info_.events = 0;
    std::uint64_t missing = 0;
    for (auto& [key, chunks] : streams) {
        std::ranges::sort(chunks, {},
                          [](const frame_place* c) { return std::pair{c->header.sequence, c->payload}; });
        const auto again =
            std::ranges::unique(chunks, {}, [](const frame_place* c) { return c->header.sequence; });
        chunks.erase(again.begin(), again.end());
        missing += chunks.back()->header.sequence + 1 - chunks.size();
        for (const frame_place* chunk : chunks) {
            const frame_header& h = chunk->header;
            images_->add(h);
            info_.events += h.events;
            last_ticks_ = std::max(last_ticks_, h.last_time);
            chunk_bytes_ += h.stored_bytes;
            if (h.records != 0) {
                with_records.push_back(chunk);
            }
        }
        streams_.emplace_back(std::move(chunks));
    }
    if (missing != 0) {
        known_damage_.push_back(
            counted(missing, "chunk of events is missing", "chunks of events are missing"));
    }
    return with_records;
}

/// Reads what events refer to before any event: a stack may be told later, by another thread, than it is used.
void trace_reader::collect_records(std::vector<const frame_place*> chunks) {
    std::ranges::sort(chunks, {},
                      [](const frame_place* c) { return std::pair{c->header.first_time, c->payload}; });
    std::vector<unsigned char> raw;
    for (const frame_place* chunk : chunks) {
        if (file_.payload(*chunk, raw)) {
            images_->collect(chunk->header, raw); // a damaged one is told when its events are read
        }
    }
    images_->resolve();
    if (info_.dropped == 0) {
        for (const trace_process& p : info_.processes) {
            info_.dropped += p.dropped;
        }
    }
    written_ = info_.events;
    tell_missing({file_, *images_});
}

void trace_reader::tell_missing(const progress_so_far& d) {
    info_.missing = known_damage_;
    std::vector<std::string>& missing = info_.missing;
    if (!end_) {
        missing.push_back(
            fmt::format("its end is missing, because linn record was killed or still runs, "
                        "or the copy is incomplete: its events end after {:.3g} s, and how many "
                        "followed is not known; copy it again, or record again",
                        static_cast<double>(images_->scale.ns(last_ticks_)) * 1e-9));
    } else {
        if (!end_->stopped.empty()) {
            const double whole = static_cast<double>(end_->duration_ns) * 1e-9;
            missing.push_back(fmt::format(
                "the recording stopped before the program did: {} could not be written, and nothing is "
                "known after the first {:.3g} s of {:.3g} s: {}",
                counted(end_->unwritten, "recorded event"),
                std::min(whole, static_cast<double>(end_->stopped_at_ns) * 1e-9), whole, end_->stopped));
        }
        if (end_->ran_on && info_.attached_pid == 0) {
            missing.emplace_back("processes of the program still ran when the recording ended: what they did "
                                 "then is not in it; linn record --wait waits for them");
        }
        if (end_->damaged_chunks != 0) {
            missing.push_back(fmt::format("the program overwrote the end of {} of events",
                                          counted(end_->damaged_chunks, "chunk")));
        }
        if (written_ < end_->events) {
            missing.push_back(
                fmt::format("{} of {} events are not in the file", end_->events - written_, end_->events));
        }
        for (std::size_t i = 0; end_->events == 0 && i != info_.processes.size(); ++i) {
            const std::string& program = info_.processes[i].executable;
            if (const std::string heap = inspect_executable(program).private_heap; !heap.empty()) {
                const std::string why =
                    fmt::format("nothing was recorded, and {} has {} compiled in: link it "
                                "to the C library's malloc instead, and record it again",
                                program, heap);
                if (std::ranges::find(missing, why) == missing.end()) {
                    missing.push_back(why);
                }
            }
        }
    }
    if (info_.dropped != 0) {
        missing.push_back(counted(info_.dropped, "event was dropped", "events were dropped") +
                          " while recording");
    }
    if (d.damaged != 0) {
        missing.push_back(fmt::format("{} with {} {} damaged and left out, the first at byte {}",
                                      counted(d.damaged, "chunk"), counted(d.lost_events, "event"),
                                      agreeing(d.damaged, "is", "are"), d.first_damage));
    }
    if (d.cut != 0) {
        missing.push_back(fmt::format("{} sense only at the beginning: {}",
                                      counted(d.cut, "chunk makes", "chunks make"), d.first_reason));
    }
}

void trace_reader::read(const std::function<void(std::span<const event>)>& take,
                        const std::function<bool(double)>& progress) {
    progress_so_far so_far{file_, *images_};
    const auto is_later = [](const stream_cursor* a, const stream_cursor* b) {
        return a->time() > b->time();
    };
    std::vector<stream_cursor*> heap; // the one whose next event is the earliest comes first
    for (stream_cursor& stream : streams_) {
        stream.rewind(images_->scale);
        heap.push_back(&stream);
    }
    std::ranges::make_heap(heap, is_later);
    std::uint64_t events = 0;
    auto told = std::chrono::steady_clock::now();
    std::uint64_t seen_bytes = 0;
    bool goes_on = true;
    while (!heap.empty() && goes_on) {
        std::ranges::pop_heap(heap, is_later); // to the back
        stream_cursor& cursor = *heap.back();
        if (const std::span<const event> ready = cursor.events(); !ready.empty()) {
            const std::uint64_t limit =
                heap.size() == 1 ? std::numeric_limits<std::uint64_t>::max() : heap.front()->time();
            const auto end =
                std::find_if(ready.begin() + 1, ready.end(), [&](const event& e) { return e.time > limit; });
            take({ready.begin(), end});
            events += static_cast<std::size_t>(end - ready.begin());
            cursor.take(static_cast<std::size_t>(end - ready.begin()));
        } else if (!cursor.advance(so_far)) {
            heap.pop_back();
            continue;
        } else if (progress && so_far.stored_bytes != seen_bytes &&
                   std::chrono::steady_clock::now() - told > std::chrono::milliseconds{100}) {
            told = std::chrono::steady_clock::now();
            seen_bytes = so_far.stored_bytes;
            goes_on = progress(static_cast<double>(seen_bytes) /
                               static_cast<double>(std::max<std::uint64_t>(chunk_bytes_, 1)));
        }
        std::ranges::push_heap(heap, is_later);
    }
    if (goes_on) {
        info_.events = events;
        tell_missing(so_far);
    }
}

} // namespace linn::tool
