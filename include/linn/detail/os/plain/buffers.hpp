// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PLAIN_BUFFERS_HPP
#define LINN_DETAIL_OS_PLAIN_BUFFERS_HPP

#include <linn/config.hpp>
#include <linn/detail/os/buffer_mapping.hpp>
#include <linn/detail/sanitizer/asan.hpp>

#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// Large buffers over `operator new`, for systems whose own calls Linn does not know: no huge pages
/// and no protection, all else as in posix/buffers.hpp.
struct system_buffer_pages {
    static constexpr bool zeroed = false;

    static std::size_t page_bytes() noexcept { return 4096; }

    static bool map(const buffer_request& r, buffer_mapping& out) noexcept {
        void* p = ::operator new(r.bytes, std::align_val_t{r.align}, std::nothrow);
        if (p == nullptr) {
            return false;
        }
        out = {.data = static_cast<std::byte*>(p), .bytes = r.bytes, .align = r.align};
        return true;
    }
    static void unmap(const buffer_mapping& m) noexcept {
        unpoison(m.data, m.bytes);
        ::operator delete(m.data, std::align_val_t{m.align});
    }
    static bool prefault(const buffer_mapping& m) noexcept {
        for (std::size_t at = 0; at < m.bytes; at += page_bytes()) {
            static_cast<volatile std::byte*>(m.data)[at] = std::byte{0};
        }
        return true;
    }
    static bool open(const buffer_mapping& m, bool) noexcept {
        unpoison(m.data, m.bytes);
        return true;
    }
    static void close(const buffer_mapping& m, bool) noexcept { poison(m.data, m.bytes); }
    static std::size_t on_huge_pages(const buffer_mapping&) noexcept { return 0; }
};

} // namespace linn::inline LINN_ABI::detail

#endif
