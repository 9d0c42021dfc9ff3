// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BSD_SYSTEM_HPP
#define LINN_DETAIL_OS_BSD_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/posix/system.hpp>

// FreeBSD, NetBSD, OpenBSD, and every other system of the POSIX family that has no folder of its own.

namespace linn::inline LINN_ABI::detail {

struct system_pages : posix_pages {
    /// Whether `p`, which may be any address, lies in memory.
    [[LINN_DETAIL_COLD]] static bool readable(const void* p) noexcept {
        const errno_kept keep;
#if defined(__OpenBSD__) // which has no mincore
        return ::msync(page_of(p), 1, MS_ASYNC) == 0;
#else
        char resident = 0;
        return ::mincore(page_of(p), 1, &resident) == 0;
#endif
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
