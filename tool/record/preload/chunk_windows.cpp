// SPDX-License-Identifier: Apache-2.0
#include "chunk_windows.hpp"

#include "../../interpose/raw.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

// Called in the hooks: nothing here is a cancellation point.
namespace linn::tool::preload {

constinit chunk_windows windows{};

namespace {

void close_quietly(int fd) noexcept {
    ::syscall(SYS_close, static_cast<long>(fd));
}

/// The chunks of the group that `chunk` is in: the last group may be smaller.
struct chunk_group {
    std::uint32_t first;
    std::uint32_t count;

    chunk_group(const wire::ring& ring, std::uint32_t chunk) noexcept
        : first(chunk / chunk_windows::group * chunk_windows::group),
          count(std::min(chunk_windows::group, ring.chunk_count() - first)) {}
    std::size_t bytes() const noexcept { return std::size_t{count} * wire::chunk_bytes; }
};

} // namespace

void chunk_windows::begin(int fd, const char* path) noexcept {
    begin(fd);
    path_ = path;
    fd_ = -1;
}

void chunk_windows::begin(int fd) noexcept {
    struct stat status{};
    ::fstat(fd, &status);
    asked_.store(~std::uint64_t{0}, std::memory_order_relaxed);
    path_ = nullptr;
    fd_ = fd;
    device_ = status.st_dev;
    inode_ = status.st_ino;
}

/// The program may have closed the descriptor, and opened another file under its number.
bool chunk_windows::is_the_file(int fd) const noexcept {
    struct stat status{};
    return fd >= 0 && ::fstat(fd, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int chunk_windows::open_again() const noexcept {
    return path_ == nullptr ? fd_
                            : static_cast<int>(::syscall(SYS_openat, static_cast<long>(AT_FDCWD), path_,
                                                         static_cast<long>(O_RDWR | O_CLOEXEC | O_NOCTTY)));
}

bool chunk_windows::map(const wire::ring& ring, std::uint32_t chunk) noexcept {
    if (has(chunk)) {
        return true;
    }
    const int fd = open_again();
    void* memory = MAP_FAILED;
    const chunk_group wanted{ring, chunk};
    if (is_the_file(fd)) {
        const std::size_t at = ring.header().chunks_at + std::size_t{wanted.first} * wire::chunk_bytes;
        memory =
            ::mmap(nullptr, wanted.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(at));
    }
    if (path_ != nullptr && fd >= 0) {
        close_quietly(fd);
    }
    // Another thread may have taken the last addresses for it.
    const bool has_failed = memory == MAP_FAILED && !has(chunk);
    has_failed_.store(has_failed, std::memory_order_relaxed);
    if (memory == MAP_FAILED) {
        return !has_failed;
    }
    ::madvise(memory, wanted.bytes(), MADV_DONTDUMP);
    unsigned char* expected = nullptr;
    // Pairs with has() and at(): a thread that sees the address sees the mapping.
    if (groups_[chunk / group].compare_exchange_strong(expected, static_cast<unsigned char*>(memory),
                                                       std::memory_order_acq_rel)) {
        mapped_.fetch_add(1, std::memory_order_relaxed);
    } else {
        ::munmap(memory, wanted.bytes()); // another thread was faster
    }
    return true;
}

void chunk_windows::leave(const wire::ring& ring, std::uint32_t chunk) noexcept {
    unsigned char* const memory = groups_[chunk / group].exchange(nullptr, std::memory_order_relaxed);
    if (memory == nullptr) {
        return;
    }
    mapped_.fetch_sub(1, std::memory_order_relaxed);
    const chunk_group left{ring, chunk};
    unsigned char* const own = memory + std::size_t{chunk - left.first} * wire::chunk_bytes;
    unsigned char* const behind = own + wire::chunk_bytes;
    unsigned char* const end = memory + left.bytes();
    if (own != memory) {
        ::munmap(memory, static_cast<std::size_t>(own - memory));
    }
    if (behind != end) {
        ::munmap(behind, static_cast<std::size_t>(end - behind));
    }
}

bool chunk_windows::is_stalled(std::uint32_t emptied) noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    const auto now = static_cast<std::uint32_t>(std::uint64_t(time.tv_sec) * 1000 +
                                                std::uint64_t(time.tv_nsec) / 1'000'000);
    const std::uint64_t asked = asked_.load(std::memory_order_relaxed);
    if (asked >> 32 != emptied) {
        asked_.store(std::uint64_t{emptied} << 32 | now, std::memory_order_relaxed);
        return false;
    }
    return now - static_cast<std::uint32_t>(asked) >= patience;
}

void chunk_windows::forget(const wire::ring& ring) noexcept {
    for (std::uint32_t first = 0; first < ring.chunk_count(); first += group) {
        if (unsigned char* const memory = groups_[first / group].exchange(nullptr, std::memory_order_relaxed);
            memory != nullptr) {
            ::munmap(memory, chunk_group{ring, first}.bytes());
        }
    }
    mapped_.store(0, std::memory_order_relaxed);
    if (is_the_file(fd_)) {
        close_quietly(fd_);
    }
    fd_ = -1;
}

} // namespace linn::tool::preload
