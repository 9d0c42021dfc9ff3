// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_LINUX_HUGE_PAGES_HPP
#define LINN_DETAIL_OS_LINUX_HUGE_PAGES_HPP

#include <linn/config.hpp>
#include <linn/detail/os/posix/system.hpp>

#include <cstddef>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#endif

namespace linn::inline LINN_ABI::detail {

#if defined(__linux__)

/// Whether the kernel forms huge pages for a process that asks: madvise succeeds also where they are
/// switched off for the system or for the process.
inline bool transparent_huge_pages_allowed() noexcept {
#if defined(PR_GET_THP_DISABLE)
    if (::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1) {
        return false;
    }
#endif
    const uncancelled until_the_end;
    const int file = ::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    char text[64] = {};
    const ::ssize_t n = ::read(file, text, sizeof text - 1);
    ::close(file);
    return n > 0 && std::strstr(text, "[never]") == nullptr;
}

/// Asks for huge pages below these addresses. @returns whether the kernel will try
inline bool ask_for_transparent(void* p, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    return transparent_huge_pages_allowed() && ::madvise(p, bytes, MADV_HUGEPAGE) == 0;
#else
    static_cast<void>(p);
    static_cast<void>(bytes);
    return false;
#endif
}

/// Bytes of [p, p + bytes) in memory now.
inline std::size_t resident_bytes(const std::byte* p, std::size_t bytes) noexcept {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    unsigned char present[1024];
    std::size_t found = 0;
    for (std::size_t at = 0; at < bytes; at += page * sizeof present) {
        const std::size_t rest = bytes - at;
        const std::size_t part = rest < page * sizeof present ? rest : page * sizeof present;
        if (::mincore(const_cast<std::byte*>(p) + at, part, present) != 0) {
            return 0;
        }
        for (std::size_t i = 0; i * page < part; ++i) {
            found += (present[i] & 1u) != 0 ? page : 0;
        }
    }
    return found;
}

/// Bytes of [p, p + bytes) that lie on transparent huge pages now: all that is resident, but for each
/// mapping no more than the kernel says of it. A mapping may hold several buffers, then it is an upper
/// bound. @complexity reads /proc/self/smaps: up to milliseconds
inline std::size_t transparent_huge_bytes(const std::byte* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    const uncancelled until_the_end;
    std::FILE* file = std::fopen("/proc/self/smaps", "re");
    if (file == nullptr) {
        return 0;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    const std::uintptr_t end = begin + bytes;
    std::size_t found = 0;
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    char line[512];
    while (std::fgets(line, sizeof line, file) != nullptr) {
        unsigned long first = 0;
        unsigned long last = 0;
        std::size_t kib = 0;
        if (std::sscanf(line, "%lx-%lx ", &first, &last) == 2) {
            from = first > begin ? first : begin;
            to = last < end ? last : end;
        } else if (from < to && std::sscanf(line, "AnonHugePages: %zu kB", &kib) == 1 && kib != 0) {
            const std::size_t here = resident_bytes(p + (from - begin), to - from);
            found += kib * 1024 < here ? kib * 1024 : here;
        }
    }
    std::fclose(file);
    return found;
}

#else

inline bool ask_for_transparent(void*, std::size_t) noexcept {
    return false;
}
inline std::size_t transparent_huge_bytes(const std::byte*, std::size_t) noexcept {
    return 0;
}

#endif

} // namespace linn::inline LINN_ABI::detail

#endif
