// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include "decode.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace linn::tool {
namespace {

constexpr std::size_t crc_at = offsetof(frame_header, header_crc);

bool is_within_limits(const frame_header& h) noexcept {
    const std::size_t most = h.kind == frame_kind::chunk ? most_chunk_bytes : most_document_bytes;
    if (h.raw_bytes > most || h.stored_bytes > h.raw_bytes) {
        return false;
    }
    return h.codec == frame_codec::zstd || h.stored_bytes == h.raw_bytes;
}

} // namespace

std::array<unsigned char, frame_header::bytes> frame_header::pack() const noexcept {
    auto out = std::bit_cast<std::array<unsigned char, bytes>>(*this);
    const std::uint32_t crc = crc_of(std::span{out}.first<crc_at>());
    std::memcpy(&out[crc_at], &crc, sizeof crc);
    return out;
}

std::optional<frame_header> frame_header::unpack(std::span<const unsigned char, bytes> from) noexcept {
    frame_header h;
    std::memcpy(&h, from.data(), bytes);
    if (h.magic != first_bytes || h.header_crc != crc_of(from.first<crc_at>()) || !is_within_limits(h)) {
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
    const wire::decoded_chunk decoded = wire::decode_chunk(std::as_bytes(chunk), wire::chunk_sink{});
    const wire::chunk_header& from = decoded.header;
    frame.damage = decoded.damage;
    if (decoded.used < from.header_bytes || from.magic != wire::chunk_magic) {
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
    h.records = clamp(decoded.records);
    h.dropped = clamp(decoded.dropped);
    h.first_time = from.first_ticks;
    h.last_time = decoded.last_ticks;
    return frame;
}

} // namespace linn::tool
