// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include "../measure/quantity.hpp"
#include "decode.hpp"

#include <linn/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

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

/// What a file that is no trace looks like, and what to do then; empty when it looks like nothing known.
std::string describe_foreign(std::string_view begin) {
    constexpr std::pair<std::string_view, const char*> known[] = {
        {"\x28\xb5\x2f\xfd", "it is compressed by zstd: unpack it with zstd -d"},
        {"\x1f\x8b", "it is compressed by gzip: unpack it with gunzip"},
        {"\3757zXZ", "it is compressed by xz: unpack it with unxz"},
        {"\177ELF", "it is a program: record it first, with linn record -- PROG"},
        {"{", "it looks like JSON"},
        {"[", "it looks like JSON"}};
    for (const auto& [magic, what] : known) {
        if (begin.starts_with(magic)) {
            return what;
        }
    }
    // A transfer as text changes the line feed, or the first byte.
    if (begin.substr(0, 10).find("LINNTR") != std::string_view::npos) {
        return "it was changed as if it were text: transfer it in binary mode";
    }
    return {};
}

constexpr const char* nothing_to_read =
    "linn record was killed at once, or the copy is incomplete; copy it again, or record again";

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

trace_file::trace_file(const std::filesystem::path& path, std::vector<unsigned char> unwritten)
    : path_{path},
      unwritten_{std::move(unwritten)} {
    open();
    read_file_header();
    find_frames();
    if (frames_.empty()) {
        refuse_without_frames();
    }
}

void trace_file::open() {
    const std::string name = path_.string();
    if (name.empty()) {
        throw unusable_input{"missing trace: give the file that linn record wrote"};
    }
    file_ = owned_fd{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!file_) {
        throw unusable_input{errno == ENOENT ? fmt::format("{}: no such file", name)
                                             : fmt::format("{}: {}", name, std::strerror(errno))};
    }
    struct stat s{};
    ::fstat(file_.get(), &s); // which cannot fail
    if (S_ISDIR(s.st_mode)) {
        throw unusable_input{fmt::format("{} is a directory, not a trace", name)};
    }
    if (!S_ISREG(s.st_mode)) {
        throw unusable_input{fmt::format("{} is not a regular file: save the trace to one first", name)};
    }
    file_bytes_ = static_cast<std::uint64_t>(s.st_size);
    size_ = file_bytes_ + unwritten_.size();
    if (file_bytes_ == 0) {
        throw unusable_input{fmt::format("{} is empty: the recording wrote nothing to it", name)};
    }
}

std::size_t trace_file::read_at(std::uint64_t offset, unsigned char* to, std::size_t bytes) const {
    std::size_t done = 0;
    while (done != bytes) {
        if (offset + done >= file_bytes_) {
            const std::uint64_t from =
                std::min<std::uint64_t>(offset + done - file_bytes_, unwritten_.size());
            const std::size_t here = std::min<std::size_t>(bytes - done, unwritten_.size() - from);
            return static_cast<std::size_t>(std::copy_n(unwritten_.data() + from, here, to + done) - to);
        }
        const ssize_t got =
            ::pread(file_.get(), to + done, std::min<std::size_t>(bytes - done, file_bytes_ - offset - done),
                    static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void trace_file::read_file_header() {
    std::array<unsigned char, file_header_bytes> head{};
    const std::size_t got = read_at(0, head.data(), head.size());
    const std::string name = path_.string();
    if (!std::equal(trace_magic.begin(),
                    trace_magic.begin() + static_cast<std::ptrdiff_t>(std::min(got, trace_magic.size())),
                    head.begin())) {
        const std::string what =
            describe_foreign({reinterpret_cast<const char*>(head.data()), got}); // char may view anything
        throw unusable_input{fmt::format("{} is not a linn trace{}{}", name, what.empty() ? "" : ": ", what)};
    }
    if (got < head.size()) {
        throw damaged_input{
            fmt::format("{} was cut off after {}: {}", name, figures::counted(got, "byte"), nothing_to_read)};
    }
    std::memcpy(&version_, &head[trace_magic.size()], sizeof version_);
    if (version_ > trace_version) {
        throw unusable_input{fmt::format("{} is in version {} of the trace format, and linn {}.{}.{} reads "
                                         "version {}: read it with a newer linn",
                                         name, version_, LINN_VERSION_MAJOR, LINN_VERSION_MINOR,
                                         LINN_VERSION_PATCH, trace_version)};
    }
    if (version_ == 0) {
        throw damaged_input{fmt::format("{} is damaged: its version is 0", name)};
    }
}

void trace_file::find_frames() {
    std::uint64_t at = file_header_bytes;
    while (at < size_) {
        std::array<unsigned char, frame_header::bytes> bytes{};
        const std::size_t got = read_at(at, bytes.data(), bytes.size());
        const std::optional<frame_header> header =
            got == bytes.size() ? frame_header::unpack(bytes) : std::nullopt;
        const std::uint64_t payload = at + frame_header::bytes;
        if (!header || payload + header->stored_bytes > size_) {
            // A file that was cut off ends within a frame; a file system that was cut off may have put zeros there.
            const bool is_cut_off = header || got != bytes.size() ||
                                    std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0; });
            if (!is_cut_off) {
                bad_from_ = at;
            }
            damage_.push_back(is_cut_off
                                  ? fmt::format("the file is cut off: its last {}, from byte {} on, are part "
                                                "of a frame whose rest is missing",
                                                figures::counted(size_ - at, "byte"), at)
                                  : fmt::format("the {} from byte {} on are no frame, and were not read",
                                                figures::counted(size_ - at, "byte"), at));
            return;
        }
        frames_.push_back({payload, *header});
        at = payload + header->stored_bytes;
    }
}

/// A recording without a single event has a first and a last frame: a file without any holds no recording.
void trace_file::refuse_without_frames() const {
    if (bad_from_ != 0) {
        throw damaged_input{fmt::format("{} is damaged from byte {} on: it has no whole frame; copy it "
                                        "again, or record again",
                                        path_.string(), file_header_bytes)};
    }
    throw damaged_input{fmt::format(
        "{} holds no recording: it ends after {}, {}: {}", path_.string(), figures::counted(size_, "byte"),
        size_ == file_header_bytes ? "which are its header" : "within its first frame", nothing_to_read)};
}

bool trace_file::payload(const frame_place& place, std::vector<unsigned char>& raw) {
    return read_stored(place) && compressor_.expand(stored_, place.header, raw);
}

bool trace_file::read_stored(const frame_place& place) {
    stored_.resize(place.header.stored_bytes);
    return read_at(place.payload, stored_.data(), stored_.size()) == stored_.size();
}

std::string trace_file::why_corrupt() {
    const auto message = [&](const std::string& where) {
        return fmt::format("{} is damaged {}: a checksum is wrong there, so it is not what linn record "
                           "wrote; copy it again, or record again",
                           path_.string(), where);
    };
    for (const frame_place& frame : frames_) {
        if (!read_stored(frame) || crc_of(stored_) != frame.header.payload_crc) {
            return message(
                fmt::format("in the {} bytes from byte {} on", frame.header.stored_bytes, frame.payload));
        }
    }
    return bad_from_ == 0 ? std::string{} : message(fmt::format("from byte {} on", bad_from_));
}

void refuse_corrupt(const std::filesystem::path& file) {
    if (const std::string why = trace_file{file}.why_corrupt(); !why.empty()) {
        throw damaged_input{why};
    }
}

std::string trace_writer::open(const std::filesystem::path& path, std::uint32_t version) {
    path_ = path;
    // For its owner alone: command lines and paths may hold what others should not see.
    file_ = owned_fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
    struct stat s{};
    is_regular_ = file_ && ::fstat(file_.get(), &s) == 0 && S_ISREG(s.st_mode);
    // Two recordings in one file would overwrite each other. Some network file systems have no locks.
    const bool is_taken = is_regular_ && ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!file_ || is_taken || (is_regular_ && ::ftruncate(file_.get(), 0) != 0)) {
        return problem_ = fmt::format("{} cannot be written: {}; -o FILE names another file", path.string(),
                                      is_taken ? "another linn is recording into it" : std::strerror(errno));
    }
    std::array<unsigned char, file_header_bytes> head{};
    std::copy(trace_magic.begin(), trace_magic.end(), head.begin());
    std::memcpy(&head[trace_magic.size()], &version, sizeof version);
    append(head, {});
    return problem_;
}

bool trace_writer::append(std::span<const unsigned char> head, std::span<const unsigned char> payload) {
    std::vector<unsigned char> frame(head.begin(), head.end());
    frame.insert(frame.end(), payload.begin(), payload.end());
    for (std::size_t done = 0; done != frame.size();) {
        const ssize_t put = ::write(file_.get(), frame.data() + done, frame.size() - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            if (problem_.empty()) {
                problem_ = fmt::format("{} cannot be written any further: {}", path_.string(),
                                       put < 0 ? std::strerror(errno) : "no byte was written");
            }
            cut_off(bytes_); // what is half written, so that the file ends with a whole frame
            return false;
        }
        done += static_cast<std::size_t>(put);
    }
    frames_.push_back(bytes_);
    bytes_ += frame.size();
    return true;
}

void trace_writer::cut_off(std::uint64_t from) {
    bytes_ = from;
    if (is_regular_ && ::ftruncate(file_.get(), static_cast<off_t>(from)) == 0) {
        ::lseek(file_.get(), static_cast<off_t>(from), SEEK_SET);
    }
}

/// Not compressed: the command can be read in the file without linn.
bool trace_writer::write_document(frame_kind kind, const std::string& document) {
    const std::span<const unsigned char> text{reinterpret_cast<const unsigned char*>(document.data()),
                                              document.size()}; // any object may be seen as bytes
    frame_header header;
    header.kind = kind;
    header.describe(text);
    return append(header.pack(), text);
}

void trace_writer::write_start(const recording_start& start) {
    if (problem_.empty()) {
        write_document(frame_kind::start, to_json(start));
    }
}

void trace_writer::write_chunk(const frame_header& header, std::span<const unsigned char> stored) {
    if (problem_.empty()) {
        append(header.pack(), stored);
    }
}

void trace_writer::write_end(recording_end end) {
    if (!file_) {
        return;
    }
    if (end.stopped.empty()) {
        end.stopped = problem_;
    }
    const std::string document = to_json(end);
    const std::uint64_t full = bytes_;
    // Before the chunks are the file's header and the start.
    while (!write_document(frame_kind::end, document) && is_regular_ && frames_.size() > 2 &&
           full - bytes_ < frame_header::bytes + document.size()) {
        cut_off(frames_.back());
        frames_.pop_back();
    }
    // Where quotas and network file systems tell. The file stays open, and locked, for the second run.
    if (const int copy = ::dup(file_.get()); copy >= 0 && ::close(copy) != 0 && problem_.empty()) {
        problem_ = fmt::format("{} cannot be written to its end: {}", path_.string(), std::strerror(errno));
    }
}

std::string trace_writer::add_second_run(const second_run& run) {
    if (!problem_.empty() || !is_regular_) {
        return "the trace is not a file that can be appended to";
    }
    write_document(frame_kind::second_run, to_json(run));
    return problem_;
}

} // namespace linn::tool
