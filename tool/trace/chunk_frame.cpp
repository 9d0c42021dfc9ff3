// SPDX-License-Identifier: Apache-2.0
#include "chunk_frame.hpp"

#include "decode.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace linn::tool {
namespace {

/// Counts what the header of a frame tells.
class counting_sink : public wire::chunk_sink {
public:
    void on_stack(const wire::stack_record&) { ++records; }
    void on_process(const wire::process_record&) { ++records; }
    void on_thread_name(std::uint64_t, std::string_view) { ++records; }
    void on_module(const wire::module_record&) { ++records; }
    void on_unloaded(std::uint64_t, std::uint32_t) { ++records; }
    void on_rtti(std::uint64_t, std::uint32_t, std::string_view) { ++records; }
    void on_dropped(std::uint64_t, std::uint64_t events) { dropped += events; }

    std::uint64_t records = 0;
    std::uint64_t dropped = 0;
};

} // namespace

chunk_frame frame_of_chunk(std::span<unsigned char> chunk) {
    chunk_frame frame;
    counting_sink counts;
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
