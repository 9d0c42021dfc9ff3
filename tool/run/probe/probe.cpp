// SPDX-License-Identifier: Apache-2.0
// liblinn-probe.so: preloaded into the measured program and everything it starts. In each of them it appends one record
// that says which program it is and who provides its memory. It runs before main, needs no C++ runtime, opens nothing that
// stays open, allocates nothing but the litter that the measured program is to have, and does nothing at all where
// LINN_PROBE is not set.
#include "parts.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace linn::tool::probe {
namespace {

/// LINN_PROBE taken apart.
struct order {
    std::int32_t main_pid = 0;
    char file[PATH_MAX];
    const char* library = nullptr;

    bool read(char** variables) noexcept {
        const char* value = nullptr;
        const std::size_t length = std::strlen(variable);
        for (; *variables != nullptr && value == nullptr; ++variables) {
            if (std::strncmp(*variables, variable, length) == 0 && (*variables)[length] == '=') {
                value = *variables + length + 1;
            }
        }
        if (value == nullptr) {
            return false;
        }
        for (std::size_t i = 0; i != pid_digits; ++i, ++value) {
            if (*value < '0' || *value > '9') {
                return false;
            }
            main_pid = main_pid * 10 + (*value - '0');
        }
        const char* const end = *value == ':' ? std::strchr(value + 1, ':') : nullptr;
        const auto size = static_cast<std::size_t>(end - value);
        if (end == nullptr || size > sizeof file) {
            return false;
        }
        std::memcpy(file, value + 1, size - 1);
        file[size - 1] = '\0';
        library = end + 1;
        return true;
    }
};

std::size_t size_of(char** list) noexcept {
    std::size_t size = 0;
    for (; *list != nullptr; ++list) {
        size += std::strlen(*list) + 1;
    }
    return size;
}

/// A record under construction in fresh pages.
class writer {
public:
    explicit writer(std::size_t capacity) noexcept : capacity_(capacity) {
        void* const p = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p != MAP_FAILED) {
            head_ = new (p) record;
        }
    }
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer() {
        if (head_ != nullptr) {
            ::munmap(head_, capacity_);
        }
    }

    explicit operator bool() const noexcept { return head_ != nullptr; }
    record& head() noexcept { return *head_; }
    char* end() noexcept { return reinterpret_cast<char*>(head_) + used_; }
    std::size_t room() const noexcept { return capacity_ - used_; }

    /// Counts bytes that lie at `end()` already.
    void grow(piece which, std::size_t bytes) noexcept {
        head_->lengths[which] += static_cast<std::uint32_t>(bytes);
        used_ += bytes;
    }
    void add(piece which, const char* text, std::size_t bytes) noexcept {
        if (bytes > room()) {
            return;
        }
        std::memcpy(end(), text, bytes);
        grow(which, bytes);
    }
    void add(piece which, char** list) noexcept {
        for (; *list != nullptr; ++list) {
            add(which, *list, std::strlen(*list) + 1);
        }
    }
    void append_to(int fd) noexcept {
        head_->bytes = static_cast<std::uint32_t>(used_);
        ::syscall(SYS_write, fd, head_, used_);
    }

private:
    std::size_t capacity_;
    std::size_t used_ = sizeof(record);
    record* head_ = nullptr;
};

void write_record(const order& to, char** arguments_, char** variables, bool is_main, const litter& littered,
                  int fd) noexcept {
    const std::size_t texts = size_of(arguments_) + (is_main ? size_of(variables) : 0);
    writer out{sizeof(record) + texts + (3 + function_count) * PATH_MAX};
    if (!out) {
        return;
    }
    out.head().pid = ::getpid();
    out.head().is_main = is_main;
    out.head().littered = littered;
    ::prctl(PR_GET_NAME, out.head().name);
    if (const ssize_t n = ::readlink("/proc/self/exe", out.end(), PATH_MAX); n > 0) {
        out.grow(executable, static_cast<std::size_t>(n));
    }
    if (const long n = ::syscall(SYS_getcwd, out.end(), PATH_MAX); n > 1) {
        out.grow(directory, static_cast<std::size_t>(n - 1));
    }
    out.add(arguments, arguments_);
    if (is_main) {
        out.add(environment, variables);
    }

    providers found;
    found.library = to.library;
    find_providers(found);
    out.head().preload_mapped = found.library_mapped;
    const std::size_t own = out.head().lengths[executable];
    const char* const self = reinterpret_cast<const char*>(&out.head()) + sizeof(record);
    for (std::size_t i = 0; i != function_count; ++i) {
        const auto which = static_cast<piece>(first_function + i);
        if (found.files[i] != nullptr && *found.files[i] == '\0') {
            out.add(which, self, own);
        } else if (found.files[i] != nullptr) {
            out.add(which, found.files[i], std::strlen(found.files[i]));
        }
    }
    if (found.next_malloc != nullptr) {
        out.add(static_cast<piece>(next_malloc_piece), found.next_malloc, std::strlen(found.next_malloc));
    }
    out.append_to(fd);
}

__attribute__((constructor)) void report(int, char** arguments, char** variables) noexcept {
    const int saved = errno;
    order to;
    if (arguments != nullptr && variables != nullptr && to.read(variables)) {
        const bool is_main = ::getpid() == to.main_pid;
        litter littered;
        if (is_main) { // what it starts has a heap of its own, and no share of the sizes
            litter_heap(variables, littered);
        }
        const long fd =
            ::syscall(SYS_openat, AT_FDCWD, to.file, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0) {
            struct stat s{};
            if (::fstat(static_cast<int>(fd), &s) == 0 &&
                static_cast<std::uint64_t>(s.st_size) < (is_main ? most_bytes_of_main : most_bytes)) {
                write_record(to, arguments, variables, is_main, littered, static_cast<int>(fd));
            }
            ::syscall(SYS_close, fd);
        }
    }
    errno = saved;
}

} // namespace
} // namespace linn::tool::probe
