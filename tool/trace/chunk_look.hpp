// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chunk_frame.hpp"
#include "decode.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace linn::tool {

namespace detail {

/// Hands everything on, and counts what the header of a frame tells.
template <class Sink>
class counting_sink : public wire::chunk_sink {
public:
    explicit counting_sink(Sink& next) noexcept : next_(next) {}

    void on_event(const wire::raw_event& e) { next_.on_event(e); }
    void on_stack(const wire::stack_record& r) {
        ++records;
        next_.on_stack(r);
    }
    void on_process(const wire::process_record& r) {
        ++records;
        next_.on_process(r);
    }
    void on_thread_name(std::uint64_t ticks, std::string_view name) {
        ++records;
        next_.on_thread_name(ticks, name);
    }
    void on_module(const wire::module_record& r) {
        ++records;
        next_.on_module(r);
    }
    void on_unloaded(std::uint64_t ticks, std::uint32_t number) {
        ++records;
        next_.on_unloaded(ticks, number);
    }
    void on_rtti(std::uint64_t ticks, std::uint32_t stack, std::string_view name) {
        ++records;
        next_.on_rtti(ticks, stack, name);
    }
    void on_dropped(std::uint64_t ticks, std::uint64_t events) {
        dropped += events;
        next_.on_dropped(ticks, events);
    }

    std::uint64_t records = 0;
    std::uint64_t dropped = 0;

private:
    Sink& next_;
};

} // namespace detail

/// As frame_of_chunk(chunk), and tells `sink` (as wire::chunk_sink) in the same pass what the chunk holds.
template <class Sink>
chunk_frame frame_of_chunk(std::span<unsigned char> chunk, Sink& sink) {
    chunk_frame frame;
    detail::counting_sink<Sink> counts{sink};
    const wire::decoded_chunk decoded = wire::decode_chunk(std::as_bytes(chunk), counts);
    const wire::chunk_header& from = decoded.header;
    frame.damage = decoded.damage;
    if (decoded.used <= from.header_bytes || from.magic != wire::chunk_magic) {
        return frame;
    }
    const auto clamp = [](std::uint64_t value) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffff'ffff));
    };
    const auto used = static_cast<std::uint32_t>(decoded.used);
    std::memcpy(chunk.data() + offsetof(wire::chunk_header, used), &used, sizeof used);
    frame.payload = chunk.first(used);
    frame_header& h = frame.header;
    h.pid = from.pid;
    h.tid = from.tid;
    h.image = from.image;
    h.stream = from.stream;
    h.thread = from.thread;
    h.sequence = from.sequence;
    h.events = clamp(decoded.events);
    h.records = clamp(counts.records);
    h.dropped = clamp(counts.dropped);
    h.first_time = from.first_ticks;
    h.last_time = decoded.last_ticks;
    return frame;
}

} // namespace linn::tool
