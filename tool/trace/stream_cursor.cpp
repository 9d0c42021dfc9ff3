// SPDX-License-Identifier: Apache-2.0
#include "stream_cursor.hpp"

#include <algorithm>
#include <utility>

namespace linn::tool {

bool open_chunk::open(trace_file& file, const frame_place& place, const trace_image& image,
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

bool open_chunk::refill() {
    taken_ = 0;
    sink_.count = 0;
    if (has_more_) {
        has_more_ = decoder_->step(progress_, progress_.events + batch);
    }
    return sink_.count != 0;
}

bool stream_cursor::advance(reading_context& context) {
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

bool stream_cursor::go_to_next(reading_context& context) {
    if (next_ == chunks_.size()) {
        return false;
    }
    time_ = std::max(time_, context.scale.ns(chunks_[next_]->header.first_time));
    return true;
}

void stream_cursor::close(reading_context& context) {
    if (chunk_) {
        context.spare.push_back(std::move(chunk_));
    }
    chunk_ = nullptr;
}

} // namespace linn::tool
