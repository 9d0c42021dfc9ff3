// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode.hpp"
#include "event.hpp"
#include "image_table.hpp"
#include "trace_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace linn::tool {

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
              const tick_scale& scale);

    /// Decodes the next events; false when there are none left.
    bool refill();

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
    std::optional<wire::chunk_steps<event_sink>> decoder_;
    wire::decoded_chunk progress_;
    std::size_t taken_ = 0;
    bool has_more_ = false;
};

/// What the cursors of one reading share.
struct reading_context {
    trace_file& file;
    const image_table& images;
    tick_scale scale;
    std::vector<std::unique_ptr<open_chunk>> spare = {}; ///< memory to use again
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
    bool advance(reading_context& context);

    /// Closes the open chunk.
    void close(reading_context& context);

private:
    bool go_to_next(reading_context& context);

    std::vector<const frame_place*> chunks_;
    std::size_t next_ = 0; ///< chunk to be opened
    std::unique_ptr<open_chunk> chunk_;
    std::uint64_t time_ = 0;
};

inline bool open_chunk::open(trace_file& file, const frame_place& place, const trace_image& image,
                             std::uint32_t thread, const tick_scale& scale) {
    taken_ = 0;
    sink_.count = 0;
    sink_.timing = sink_.release_timing = {};
    progress_ = {};
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

inline bool open_chunk::refill() {
    taken_ = 0;
    sink_.count = 0;
    if (has_more_) {
        has_more_ = decoder_->step(progress_, progress_.events + batch);
    }
    return sink_.count != 0;
}

inline bool stream_cursor::advance(reading_context& context) {
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
        close(context);
        return go_to_next(context);
    }
    const frame_place& place = *chunks_[next_++];
    if (context.spare.empty()) {
        context.spare.push_back(std::make_unique<open_chunk>());
    }
    chunk_ = std::move(context.spare.back());
    context.spare.pop_back();
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
    close(context);
    return go_to_next(context);
}

inline bool stream_cursor::go_to_next(reading_context& context) {
    if (next_ == chunks_.size()) {
        return false;
    }
    time_ = std::max(time_, context.scale.ns(chunks_[next_]->header.first_time));
    return true;
}

inline void stream_cursor::close(reading_context& context) {
    if (chunk_) {
        context.spare.push_back(std::move(chunk_));
    }
    chunk_ = nullptr;
}

} // namespace linn::tool
