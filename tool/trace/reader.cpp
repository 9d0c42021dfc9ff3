// SPDX-License-Identifier: Apache-2.0
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

} // namespace

/// What was met on the way through the chunks.
struct reading_damage {
    std::uint64_t chunks = 0; ///< that could not be read
    std::uint64_t events = 0; ///< in them, as their headers say
    std::uint64_t cut = 0;    ///< chunks of which only the begin makes sense
    std::uint64_t first_at = 0;
    const char* first_reason = nullptr;
};

/// A decompressed chunk, decoded by and by.
class open_chunk {
public:
    static constexpr std::size_t batch = 256;

    /// False when the payload is damaged.
    bool open(trace_file& file, const frame_place& place, const trace_image& image, std::uint32_t thread,
              const tick_scale& scale) {
        if (!file.payload(place, raw_)) {
            return false;
        }
        sink_.into = events_.data();
        sink_.image = &image;
        sink_.scale = scale;
        sink_.process = image.index;
        sink_.thread = thread;
        decoder_.emplace(std::as_bytes(std::span{raw_}), sink_);
        has_more_ = decoder_->open(progress_);
        return has_more_;
    }

    /// Decodes the next events; false when there are none left.
    bool refill() {
        taken_ = 0;
        sink_.count = 0;
        if (has_more_) {
            has_more_ = decoder_->step(progress_, progress_.events + batch);
        }
        return sink_.count != 0;
    }

    /// Those decoded and not taken yet.
    std::span<const event> events() const noexcept { return {events_.data() + taken_, sink_.count - taken_}; }
    void take(std::size_t count) noexcept { taken_ += count; }

    /// Why decoding stopped before the end; null when it did not.
    const char* damage() const noexcept { return progress_.damage; }

private:
    struct event_sink : wire::chunk_sink {
        event* into = nullptr;
        std::size_t count = 0;
        const trace_image* image = nullptr;
        tick_scale scale;
        std::uint32_t process = 0;
        std::uint32_t thread = 0;
        call_timing timing = {}; ///< of the next event
        call_timing release_timing = {};

        void on_timed(std::uint64_t /*ticks*/, const wire::timed_record& r) {
            (r.is_of_release ? release_timing : timing) = r.timing;
        }
        void on_event(const wire::raw_event& e) {
            event& to = into[count++];
            to.kind = e.kind;
            to.call = e.call;
            to.alignment_log2 = e.alignment_log2;
            to.process = process;
            to.thread = thread;
            to.stack = e.stack == 0 ? 0 : image->stack(e.stack);
            to.time = scale.ns(e.ticks);
            to.address = e.address;
            to.old_address = e.kind == event_kind::fill ? scale.duration_ns(e.old_address) : e.old_address;
            to.bytes = e.bytes;
            to.release_timing = std::exchange(release_timing, {});
            to.timing = std::exchange(timing, {});
        }
    };

    std::vector<unsigned char> raw_;
    std::array<event, batch> events_;
    event_sink sink_;
    std::optional<wire::chunk_decoder<event_sink>> decoder_;
    wire::decoded_chunk progress_;
    std::size_t taken_ = 0;
    bool has_more_ = false;
};

/// What the cursors of one reading share.
struct reading_context {
    trace_file& file;
    const image_table& images;
    tick_scale scale;
    reading_damage damage = {};
    std::uint64_t stored_bytes = 0; ///< of the chunks opened so far
};

/// The chunks of one writer in their order, of which one at a time is in memory, and only while its events are wanted.
class stream_cursor {
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
    bool advance(reading_context& context) {
        if (chunk_) {
            if (chunk_->refill()) {
                time_ = chunk_->events().front().time;
                return true;
            }
            if (const char* const reason = chunk_->damage(); reason != nullptr) {
                reading_damage& damage = context.damage;
                ++damage.cut;
                if (damage.first_reason == nullptr) {
                    damage.first_reason = reason;
                }
            }
            chunk_.reset();
            return go_to_next(context);
        }
        const frame_place& place = *chunks_[next_++];
        chunk_ = std::make_unique<open_chunk>();
        context.stored_bytes += place.header.stored_bytes;
        if (chunk_->open(context.file, place, context.images.image(place.header.image),
                         context.images.thread(place.header), context.scale)) {
            return true;
        }
        reading_damage& damage = context.damage;
        if (damage.chunks++ == 0) {
            damage.first_at = place.payload - frame_header::bytes;
        }
        damage.events += place.header.events;
        chunk_.reset();
        return go_to_next(context);
    }

private:
    bool go_to_next(reading_context& context) {
        if (next_ == chunks_.size()) {
            return false;
        }
        time_ = std::max(time_, context.scale.ns(chunks_[next_]->header.first_time));
        return true;
    }

    std::vector<const frame_place*> chunks_;
    std::size_t next_ = 0; ///< chunk to be opened
    std::unique_ptr<open_chunk> chunk_;
    std::uint64_t time_ = 0;
};

class trace_reader::state {
public:
    state(const std::filesystem::path& path, std::vector<unsigned char> unwritten)
        : file_{path, std::move(unwritten)} {
        read_facts();
        plan();
        collect_records();
    }

    void read(const std::function<void(std::span<const event>)>& take,
              const std::function<bool(double)>& progress) {
        reading_context context{file_, *images_, scale_};
        const auto is_later = [](const stream_cursor* a, const stream_cursor* b) {
            return a->time() > b->time();
        };
        std::vector<stream_cursor*> heap; // the one whose next event is the earliest comes first
        for (stream_cursor& stream : streams_) {
            stream.rewind(scale_);
            heap.push_back(&stream);
        }
        std::ranges::make_heap(heap, is_later);
        batcher out{take};
        clock::time_point told = clock::now();
        std::uint64_t seen_bytes = 0;
        bool goes_on = true;
        while (!heap.empty() && goes_on) {
            std::ranges::pop_heap(heap, is_later); // to the back
            stream_cursor& cursor = *heap.back();
            if (const std::span<const event> ready = cursor.events(); !ready.empty()) {
                const std::uint64_t limit =
                    heap.size() == 1 ? std::numeric_limits<std::uint64_t>::max() : heap.front()->time();
                const auto end = std::find_if(ready.begin() + 1, ready.end(),
                                              [&](const event& e) { return e.time > limit; });
                out.add({ready.begin(), end});
                cursor.take(static_cast<std::size_t>(end - ready.begin()));
            } else if (!cursor.advance(context)) {
                heap.pop_back();
                continue;
            } else if (progress && context.stored_bytes != seen_bytes &&
                       clock::now() - told > std::chrono::milliseconds{100}) {
                told = clock::now();
                seen_bytes = context.stored_bytes;
                goes_on = progress(static_cast<double>(seen_bytes) /
                                   static_cast<double>(std::max<std::uint64_t>(chunk_bytes_, 1)));
            }
            std::ranges::push_heap(heap, is_later);
        }
        out.flush();
        if (goes_on) {
            info_.events = out.total();
            tell_missing(context.damage);
        }
    }

    const trace_info& info() const noexcept { return info_; }

private:
    void read_facts() {
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
                    throw unusable_input{
                        fmt::format("{} has events without times, from linn 0.2 with --clock: "
                                    "record the program again",
                                    file_.path().string())};
                }
                if (s) {
                    static_cast<recording_start&>(info_) = *s;
                    scale_ = {s->start_ticks, 1 / s->ticks_per_ns};
                    has_start = true;
                }
            } else if (kind == frame_kind::end && !end_ && file_.payload(frame, raw)) {
                if (end_ = read_recording_end(raw); end_) {
                    const double ticks_per_ns =
                        end_->exact_ticks_per_ns != 0 ? end_->exact_ticks_per_ns : info_.ticks_per_ns;
                    static_cast<recording_end&>(info_) = *end_;
                    scale_.ns_per_tick = 1 / ticks_per_ns;
                    info_.ticks_per_ns = ticks_per_ns;
                }
            } else if (kind == frame_kind::second_run && file_.payload(frame, raw)) {
                if (const std::optional<second_run> r = read_second_run(raw)) {
                    info_.baseline = *r;
                }
            } else if (kind == frame_kind::aggregate) {
                throw unusable_input{fmt::format("{} holds statistics instead of events, from linn 0.2 with "
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
    void plan() {
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
    void collect_records() {
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

    double seconds_until(std::uint64_t ticks) const {
        return ticks <= scale_.start ? 0
                                     : static_cast<double>(ticks - scale_.start) * scale_.ns_per_tick * 1e-9;
    }

    void tell_missing(const reading_damage& d) {
        info_.missing = known_damage_;
        std::vector<std::string>& missing = info_.missing;
        if (!end_) {
            missing.push_back(fmt::format("its end is missing, because linn record was killed or still runs, "
                                          "or the copy is incomplete: "
                                          "its "
                                          "events end after {:.3g} s, and how many followed is not known; "
                                          "copy it again, or record again",
                                          seconds_until(last_ticks_)));
        } else {
            if (!end_->stopped.empty()) {
                const double whole = static_cast<double>(end_->duration_ns) * 1e-9;
                missing.push_back(fmt::format(
                    "the recording stopped before the program did: {} recorded event{} could not be written, "
                    "and "
                    "nothing is known after the first {:.3g} s of {:.3g} s: {}",
                    end_->unwritten, plural(end_->unwritten),
                    std::min(whole, static_cast<double>(end_->stopped_at_ns) * 1e-9), whole, end_->stopped));
            }
            if (end_->damaged_chunks != 0) {
                missing.push_back(fmt::format("the program overwrote the end of {} chunk{} of events",
                                              end_->damaged_chunks, plural(end_->damaged_chunks)));
            }
            if (written_ < end_->events) {
                missing.push_back(fmt::format("{} of {} events are not in the file", end_->events - written_,
                                              end_->events));
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

trace_reader::trace_reader(const std::filesystem::path& file, sample_policy samples,
                           std::vector<unsigned char> unwritten)
    : state_{std::make_unique<state>(file, std::move(unwritten))} {
    if (samples == sample_policy::refuse && info().sample_bytes != 0) {
        throw unusable_input{
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
