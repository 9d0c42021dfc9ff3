// SPDX-License-Identifier: Apache-2.0
#include "program_file.hpp"

#include "program_format.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t first_chunk_words = 256;
constexpr std::size_t most_chunk_words = 8192;

[[noreturn]] void fail(const std::filesystem::path& folder, int error) {
    throw std::runtime_error{fmt::format("cannot write the program to replay to {}: {}; TMPDIR names "
                                         "another folder",
                                         folder.string(), std::strerror(error))};
}

int open_temporary(const std::filesystem::path& folder) {
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return fd;
    }
    std::string name = (folder / "linn-replay-XXXXXX").string();
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

} // namespace

program_file::program_file(const std::filesystem::path& folder)
    : folder_{folder},
      fd_{open_temporary(folder)} {
    if (fd_ < 0) {
        fail(folder_, errno);
    }
}

program_file::program_file(program_file&& other) noexcept
    : folder_{std::move(other.folder_)},
      fd_{std::exchange(other.fd_, -1)},
      size_{other.size_} {}

program_file& program_file::operator=(program_file&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(fd_, other.fd_);
    std::swap(size_, other.size_);
    return *this;
}

program_file::~program_file() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

std::uint64_t program_file::reserve(std::uint64_t bytes) noexcept {
    return std::exchange(size_, size_ + bytes);
}

void program_file::write(std::uint64_t offset, const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes != 0) {
        const ssize_t done = ::pwrite(fd_, from, bytes, static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            fail(folder_, done == 0 ? ENOSPC : errno);
        }
        from += done;
        offset += static_cast<std::uint64_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
}

std::string program_file::path() const {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_);
}

word_stream::word_stream(program_file& file)
    : file_{&file},
      begin_{file.reserve(first_chunk_words * sizeof(std::uint64_t))},
      offset_{begin_},
      capacity_{first_chunk_words} {
    chunk_.reserve(capacity_);
}

void word_stream::begin_chunk() {
    const std::size_t next_capacity = std::min(capacity_ * 2, most_chunk_words);
    const std::uint64_t next = file_->reserve(next_capacity * sizeof(std::uint64_t));
    chunk_.push_back(replay_format::pack(replay_format::op::jump, 0, 0, 0, 0));
    chunk_.push_back(next);
    finish();
    offset_ = next;
    capacity_ = next_capacity;
    chunk_.clear();
    chunk_.reserve(capacity_);
}

void word_stream::finish() {
    file_->write(offset_, chunk_.data(), chunk_.size() * sizeof(std::uint64_t));
}

} // namespace linn::tool
