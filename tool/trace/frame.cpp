// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include "decode.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace linn::tool {
namespace {

constexpr std::size_t crc_at = frame_header::bytes - 4;

template <class Integer>
void put(unsigned char* to, Integer value) noexcept {
    for (std::size_t i = 0; i != sizeof(Integer); ++i) {
        to[i] = static_cast<unsigned char>(value >> (8 * i));
    }
}

template <class Integer>
Integer get(const unsigned char* from) noexcept {
    Integer value = 0;
    for (std::size_t i = 0; i != sizeof(Integer); ++i) {
        value = static_cast<Integer>(value | static_cast<Integer>(from[i]) << (8 * i));
    }
    return value;
}

/// Calls `number(offset, value)` for each number of a header but its CRC.
template <class Header, class Number>
void each_number(Header& h, const Number& number) {
    number(8, h.stored_bytes);
    number(12, h.raw_bytes);
    number(16, h.payload_crc);
    number(20, h.pid);
    number(24, h.tid);
    number(28, h.image);
    number(32, h.stream);
    number(36, h.thread);
    number(40, h.sequence);
    number(44, h.events);
    number(48, h.records);
    number(52, h.dropped);
    number(56, h.first_time);
    number(64, h.last_time);
}

bool is_within_limits(const frame_header& h) noexcept {
    const std::size_t most = h.kind == frame_kind::chunk ? most_chunk_bytes : most_document_bytes;
    if (h.raw_bytes > most || h.stored_bytes > h.raw_bytes) {
        return false;
    }
    return h.codec == frame_codec::zstd || h.stored_bytes == h.raw_bytes;
}

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

std::array<unsigned char, frame_header::bytes> frame_header::pack() const noexcept {
    std::array<unsigned char, bytes> out{};
    std::copy(magic.begin(), magic.end(), out.begin());
    out[4] = static_cast<unsigned char>(kind);
    out[5] = static_cast<unsigned char>(codec);
    each_number(*this, [&](std::size_t at, auto value) { put(&out[at], value); });
    put(&out[crc_at], crc_of(std::span{out}.first<crc_at>()));
    return out;
}

std::optional<frame_header> frame_header::unpack(std::span<const unsigned char, bytes> from) noexcept {
    if (!std::equal(magic.begin(), magic.end(), from.begin()) ||
        get<std::uint32_t>(&from[crc_at]) != crc_of(from.first<crc_at>())) {
        return std::nullopt;
    }
    frame_header h;
    h.kind = static_cast<frame_kind>(from[4]);
    h.codec = static_cast<frame_codec>(from[5]);
    each_number(h, [&]<class Integer>(std::size_t at, Integer& value) { value = get<Integer>(&from[at]); });
    if (!is_within_limits(h)) {
        return std::nullopt;
    }
    return h;
}

std::uint32_t crc_of(std::span<const unsigned char> bytes) noexcept {
    return static_cast<std::uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

void frame_header::describe(std::span<const unsigned char> payload) noexcept {
    raw_bytes = stored_bytes = static_cast<std::uint32_t>(payload.size());
    payload_crc = crc_of(payload);
}

frame_compressor::frame_compressor() = default;

frame_compressor::~frame_compressor() {
    ::ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(packer_));
    ::ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(unpacker_));
}

std::span<const unsigned char> frame_compressor::compress(std::span<const unsigned char> raw, int level,
                                                          frame_header& header) {
    if (packer_ == nullptr) {
        packer_ = ::ZSTD_createCCtx();
    }
    buffer_.resize(std::max(buffer_.size(), ::ZSTD_compressBound(raw.size())));
    const std::size_t size = ::ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(packer_), buffer_.data(),
                                                 buffer_.size(), raw.data(), raw.size(), level);
    if (::ZSTD_isError(size) != 0) {
        throw std::runtime_error{std::string{"zstd cannot compress: "} + ::ZSTD_getErrorName(size)};
    }
    const bool shrinks = size < raw.size();
    const std::span<const unsigned char> stored =
        shrinks ? std::span<const unsigned char>{buffer_}.first(size) : raw;
    header.codec = shrinks ? frame_codec::zstd : frame_codec::stored;
    header.describe(stored);
    header.raw_bytes = static_cast<std::uint32_t>(raw.size());
    return stored;
}

bool frame_compressor::expand(std::span<const unsigned char> stored, const frame_header& header,
                              std::vector<unsigned char>& raw) {
    if (stored.size() != header.stored_bytes || crc_of(stored) != header.payload_crc) {
        return false;
    }
    if (header.codec == frame_codec::stored) {
        raw.assign(stored.begin(), stored.end());
        return true;
    }
    if (header.codec != frame_codec::zstd) {
        return false;
    }
    if (unpacker_ == nullptr) {
        unpacker_ = ::ZSTD_createDCtx();
    }
    raw.resize(header.raw_bytes);
    return ::ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(unpacker_), raw.data(), raw.size(), stored.data(),
                                 stored.size()) == header.raw_bytes;
}

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
