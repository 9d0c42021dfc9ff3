// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace linn::tool::probe {
namespace {

/// LINN_LITTER taken apart.
struct litter_order {
    std::uint64_t seed = 0;
    const char* file = nullptr;

    bool read(char** variables) noexcept {
        const std::size_t length = std::strlen(litter_variable);
        for (; *variables != nullptr; ++variables) {
            const char* value = *variables + length + 1;
            if (std::strncmp(*variables, litter_variable, length) != 0 || (*variables)[length] != '=') {
                continue;
            }
            for (std::size_t i = 0; i != seed_digits; ++i, ++value) {
                if (*value < '0' || *value > '9') {
                    return false;
                }
                seed = seed * 10 + static_cast<unsigned>(*value - '0');
            }
            file = value + 1;
            return *value == ':';
        }
        return false;
    }
};

/// The sizes of the file, mapped.
class size_table {
public:
    explicit size_table(const char* file) noexcept {
        const long fd = ::syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        struct stat s{};
        if (fd < 0) {
            return;
        }
        if (::fstat(static_cast<int>(fd), &s) == 0 && s.st_size > 0) {
            bytes_ = static_cast<std::size_t>(s.st_size);
            if (void* const p = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, static_cast<int>(fd), 0);
                p != MAP_FAILED) {
                sizes_ = static_cast<const litter_size*>(p);
            }
        }
        ::syscall(SYS_close, fd);
    }
    size_table(const size_table&) = delete;
    size_table& operator=(const size_table&) = delete;
    ~size_table() {
        if (sizes_ != nullptr) {
            ::munmap(const_cast<litter_size*>(sizes_), bytes_);
        }
    }

    const litter_size* begin() const noexcept { return sizes_; }
    const litter_size* end() const noexcept {
        return sizes_ == nullptr ? nullptr : sizes_ + bytes_ / sizeof(litter_size);
    }

private:
    const litter_size* sizes_ = nullptr;
    std::size_t bytes_ = 0;
};

/// @source Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_{seed} {}
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15u;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9u;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebu;
        return z ^ (z >> 31);
    }
    /// @pre bound fits in 32 bits
    std::uint64_t below(std::uint64_t bound) noexcept { return ((next() >> 32) * bound) >> 32; }

private:
    std::uint64_t state_;
};

std::uint64_t nanoseconds(const timeval& t) noexcept {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(t.tv_usec) * 1000u;
}

/// What the process has used so far.
struct used {
    std::uint64_t wall_ns = 0;
    std::uint64_t user_ns = 0;
    std::uint64_t sys_ns = 0;
    std::uint64_t faults = 0;
    std::uint64_t resident_bytes = 0;

    used() noexcept {
        rusage usage{};
        timespec now{};
        ::getrusage(RUSAGE_SELF, &usage);
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        wall_ns =
            static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
        user_ns = nanoseconds(usage.ru_utime);
        sys_ns = nanoseconds(usage.ru_stime);
        faults = static_cast<std::uint64_t>(usage.ru_minflt);
        resident_bytes = resident();
    }

private:
    static std::uint64_t resident() noexcept {
        char text[128] = {};
        const long fd = ::syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            return 0;
        }
        ::syscall(SYS_read, fd, text, sizeof text - 1);
        ::syscall(SYS_close, fd);
        const char* at = std::strchr(text, ' '); // behind the size of all mappings
        std::uint64_t pages = 0;
        for (at = at == nullptr ? text : at + 1; *at >= '0' && *at <= '9'; ++at) {
            pages = pages * 10 + static_cast<unsigned>(*at - '0');
        }
        return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    }
};

/// A block that waits to be freed. The lists lie in the blocks, so that littering needs no memory of its own.
struct waiting {
    waiting* next;
};

void fill(const size_table& sizes, std::uint64_t seed, litter& into) noexcept {
    std::uint64_t all = 0;
    for (const litter_size& s : sizes) {
        all += s.blocks;
    }
    constexpr std::size_t lists = 1024; // as many frees lie between neighbours of one list
    waiting* lost[lists] = {};
    random_numbers random{seed};
    for (std::uint64_t i = 0; i != all; ++i) {
        std::uint64_t which = random.below(all);
        const litter_size* size = sizes.begin();
        for (; which >= size->blocks; ++size) {
            which -= size->blocks;
        }
        void* const block = std::malloc(size->bytes < sizeof(waiting) ? sizeof(waiting) : size->bytes);
        if (block == nullptr) {
            break;
        }
        ++into.blocks;
        into.bytes += size->bytes;
        const std::uint64_t dice = random.next();
        waiting*& list = lost[(dice >> 1) % lists];
        const bool stays = (dice & 1) != 0;
        ::new (block) waiting{stays ? nullptr : list}; // memory that was written to, as a program's
        if (!stays) {
            list = static_cast<waiting*>(block);
        }
    }
    for (waiting*& list : lost) {
        while (list != nullptr) {
            waiting* const block = list;
            list = block->next;
            std::free(block);
            ++into.freed;
        }
    }
}

} // namespace

void litter_heap(char** variables, litter& into) noexcept {
    litter_order order;
    if (!order.read(variables)) {
        return;
    }
    const used before;
    fill(size_table{order.file}, order.seed, into);
    const used after;
    into.wall_ns = after.wall_ns - before.wall_ns;
    into.user_ns = after.user_ns - before.user_ns;
    into.sys_ns = after.sys_ns - before.sys_ns;
    into.minor_faults = after.faults - before.faults;
    into.resident_bytes =
        after.resident_bytes > before.resident_bytes ? after.resident_bytes - before.resident_bytes : 0;
}

} // namespace linn::tool::probe
