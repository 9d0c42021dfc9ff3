// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace linn::tool {
namespace {

std::span<const unsigned char> bytes_of(const std::string& text) {
    return {reinterpret_cast<const unsigned char*>(text.data()),
            text.size()}; // any object may be seen as bytes
}

} // namespace

trace_writer::~trace_writer() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

std::string trace_writer::open(const std::filesystem::path& path, std::uint32_t version) {
    path_ = path;
    // For its owner alone: command lines and paths may hold what others should not see.
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd_ < 0) {
        return problem_ = fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno));
    }
    struct stat s{};
    is_regular_ = ::fstat(fd_, &s) == 0 && S_ISREG(s.st_mode);
    std::array<unsigned char, file_header_bytes> head{};
    std::copy(trace_magic.begin(), trace_magic.end(), head.begin());
    for (std::size_t i = 0; i != 4; ++i) {
        head[8 + i] = static_cast<unsigned char>(version >> (8 * i));
    }
    append(head, {});
    return problem_;
}

bool trace_writer::append(std::span<const unsigned char> head, std::span<const unsigned char> payload) {
    iovec parts[2] = {{const_cast<unsigned char*>(head.data()), head.size()}, // writev does not write to them
                      {const_cast<unsigned char*>(payload.data()), payload.size()}};
    const std::size_t total = head.size() + payload.size();
    std::size_t left = total;
    while (left != 0) {
        const ssize_t put = ::writev(fd_, parts, 2);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            if (problem_.empty()) {
                problem_ = fmt::format("{} cannot be written any further: {}", path_.string(),
                                       put < 0 ? std::strerror(errno) : "no byte was written");
            }
            // What is half written goes, so that the file ends with a whole frame.
            if (is_regular_ && ::ftruncate(fd_, static_cast<off_t>(bytes_)) == 0) {
                ::lseek(fd_, static_cast<off_t>(bytes_), SEEK_SET);
            }
            return false;
        }
        auto taken = static_cast<std::size_t>(put);
        left -= taken;
        for (iovec& part : parts) {
            const std::size_t here = std::min(taken, part.iov_len);
            part.iov_base = static_cast<unsigned char*>(part.iov_base) + here;
            part.iov_len -= here;
            taken -= here;
        }
    }
    bytes_ += total;
    return true;
}

/// Not compressed: the command can be read in the file without linn.
void trace_writer::write_document(frame_kind kind, std::span<const unsigned char> text) {
    if (text.size() > most_document_bytes) {
        if (problem_.empty()) {
            problem_ = fmt::format("{} cannot hold {} bytes of statistics", path_.string(), text.size());
        }
        return;
    }
    frame_header header;
    header.kind = kind;
    header.describe(text);
    append(header.pack(), text);
}

void trace_writer::write_start(const recording_start& start) {
    if (problem_.empty()) {
        write_document(frame_kind::start, bytes_of(to_json(start)));
    }
}

void trace_writer::write_chunk(frame_header header, std::span<const unsigned char> raw) {
    header.kind = frame_kind::chunk;
    const std::span<const unsigned char> stored = compressor_.compress(raw, compression_level, header);
    write_compressed_chunk(header, stored);
}

void trace_writer::write_compressed_chunk(const frame_header& header, std::span<const unsigned char> stored) {
    if (problem_.empty()) {
        append(header.pack(), stored);
    }
}

void trace_writer::write_end(recording_end end) {
    if (fd_ < 0) {
        return;
    }
    if (end.stopped.empty()) {
        end.stopped = problem_;
    }
    write_document(frame_kind::end, bytes_of(to_json(end)));
    if (::close(fd_) != 0 && problem_.empty()) { // where quotas and network file systems tell
        problem_ = fmt::format("{} cannot be written to its end: {}", path_.string(), std::strerror(errno));
    }
    fd_ = -1;
}

std::string trace_writer::add_second_run(const second_run& run) {
    if (!problem_.empty() || !is_regular_) {
        return "the trace is not a file that can be appended to";
    }
    fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd_ < 0) {
        return problem_ = fmt::format("{} cannot be written: {}", path_.string(), std::strerror(errno));
    }
    write_document(frame_kind::second_run, bytes_of(to_json(run)));
    ::close(fd_);
    fd_ = -1;
    return problem_;
}

} // namespace linn::tool
