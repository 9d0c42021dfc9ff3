// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace linn::tool {

/// Those below have a meaning in what is started: the standard streams, and where linn-launcher writes its report.
inline constexpr int first_owned_fd = 4;

/// A file descriptor that closes itself.
class owned_fd {
public:
    owned_fd() = default;

    explicit owned_fd(int fd) noexcept : fd_(fd) {
        // Started with closed standard streams, the tool would get their numbers, and the actions of a spawn, which run in
        // order, would overwrite one with another.
        if (fd >= 0 && fd < first_owned_fd) {
            fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, first_owned_fd);
            ::close(fd);
        }
    }

    owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}

    owned_fd& operator=(owned_fd&& other) noexcept {
        if (fd_ >= 0 && this != &other) {
            ::close(fd_);
        }
        fd_ = other.release();
        return *this;
    }

    ~owned_fd() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }

    int get() const noexcept { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

} // namespace linn::tool
