// SPDX-License-Identifier: Apache-2.0
#include "ring_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace linn::tool {
namespace {

constexpr std::size_t fewest_chunks = 64;

/// How many chunks the limits on files and on memory leave room for.
std::size_t allowed_chunks(std::size_t wanted) {
    std::size_t chunks = wanted;
    rlimit limit{};
    // The rest is for what linn does besides.
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        chunks = std::min<std::size_t>(chunks, limit.rlim_cur / 4 / wire::chunk_bytes);
    }
    return std::max(chunks, fewest_chunks);
}

/// The limit on the size of files is meant for the trace: lifted as far as possible while the shared memory is made.
class lifted_file_limit {
public:
    lifted_file_limit() {
        if (::getrlimit(RLIMIT_FSIZE, &old_) != 0 || old_.rlim_cur == old_.rlim_max) {
            return;
        }
        const rlimit most{old_.rlim_max, old_.rlim_max};
        is_lifted_ = ::setrlimit(RLIMIT_FSIZE, &most) == 0;
    }
    lifted_file_limit(const lifted_file_limit&) = delete;
    lifted_file_limit& operator=(const lifted_file_limit&) = delete;
    ~lifted_file_limit() {
        if (is_lifted_) {
            ::setrlimit(RLIMIT_FSIZE, &old_);
        }
    }

private:
    rlimit old_{};
    bool is_lifted_ = false;
};

/// Copies a chunk that its owner may be writing, in ascending order, a word at a time: the owner writes an entry's tag last, so an
/// entry whose tag is in the copy is there as a whole.
void copy_upwards(const unsigned char* from, unsigned char* to, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; i += 8) {
        // Pairs with the order in which the encoder writes an entry.
        const std::uint64_t word =
            __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from + i), __ATOMIC_ACQUIRE);
        std::memcpy(to + i, &word, 8);
    }
}

} // namespace

ring_file::~ring_file() {
    if (memory_ != nullptr) {
        ::munmap(memory_, bytes_);
    }
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

std::string ring_file::create(std::size_t chunks, const wire::ring_options& options) {
    const auto failed = [](const char* what) {
        return fmt::format("no memory to share with the program: {}: {}", what, std::strerror(errno));
    };
    fd_ = ::memfd_create("linn-record", MFD_CLOEXEC);
    if (fd_ < 0) {
        return failed("memfd_create");
    }
    const lifted_file_limit lifted;
    for (std::size_t count = allowed_chunks(chunks);; count /= 2) {
        bytes_ = wire::ring::file_bytes(static_cast<std::uint32_t>(count));
        if (::ftruncate(fd_, static_cast<off_t>(bytes_)) == 0) {
            memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
        } else {
            memory_ = MAP_FAILED;
        }
        if (memory_ != MAP_FAILED) {
            ring_ = wire::ring::create(memory_, static_cast<std::uint32_t>(count), options);
            ring_.header().collector_pid = static_cast<std::uint32_t>(::getpid());
            return {};
        }
        memory_ = nullptr;
        if (count / 2 < fewest_chunks) {
            return failed("its size");
        }
    }
}

std::string ring_file::adopt(int fd, std::uint32_t chunks, const wire::ring_options& options) {
    fd_ = fd;
    bytes_ = wire::ring::file_bytes(chunks);
    const lifted_file_limit lifted;
    if (fd_ >= 0 && ::ftruncate(fd_, static_cast<off_t>(bytes_)) == 0) {
        if (void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
            memory != MAP_FAILED) {
            memory_ = memory;
            ring_ = wire::ring::create(memory_, chunks, options);
            ring_.header().collector_pid = static_cast<std::uint32_t>(::getpid());
            return {};
        }
    }
    return fmt::format("no memory to share with the program: {}", std::strerror(errno));
}

std::string ring_file::variable() const {
    return fmt::format("{}=/proc/{}/fd/{}", wire::ring_variable, ::getpid(), fd_);
}

void ring_file::punch(std::uint32_t chunk) const noexcept {
    const auto at = static_cast<off_t>(ring_.header().chunks_at + std::size_t{chunk} * wire::chunk_bytes);
    if (::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                    static_cast<off_t>(wire::chunk_bytes)) != 0) {
        std::memset(ring_.chunk(chunk), 0, wire::chunk_bytes);
    }
}

bool copy_owned(const wire::ring& ring, std::uint32_t i, std::vector<unsigned char>& copy) {
    const wire::chunk_word word = ring.word(i);
    if (word.state != wire::chunk_state::owned) {
        return false;
    }
    copy.resize(wire::chunk_bytes);
    copy_upwards(ring.chunk(i), copy.data(), copy.size());
    return ring.word(i).pack() == word.pack();
}

} // namespace linn::tool
