// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SANITIZER_MEMCHECK_HPP
#define LINN_DETAIL_SANITIZER_MEMCHECK_HPP

#include <linn/config.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

enum class memcheck_request : unsigned char { make_noaccess, make_undefined, make_defined };

/// @returns 0 without Memcheck
/// @source Valgrind manual, section 4.7 "Client Requests" of Memcheck
inline std::uint64_t ask_memcheck(memcheck_request what, const void* begin, std::size_t bytes) noexcept {
    return ask_valgrind(valgrind_requests('M', 'C') + static_cast<std::uint64_t>(what),
                        reinterpret_cast<std::uintptr_t>(begin), bytes);
}

/// True when the program runs under Valgrind's Memcheck. Not under Callgrind or Cachegrind, where
/// a pool must behave as it does alone, so that its instructions can be counted: the request is to mark no bytes,
/// which only Memcheck answers. Some ten instructions; called on slow paths only, once a thread and pool.
inline bool running_on_memcheck() noexcept {
    return ask_memcheck(memcheck_request::make_defined, nullptr, 0) != 0;
}

/// True under the tools of Valgrind that must see each object: Memcheck, Helgrind and DRD.
inline bool running_on_checker() noexcept {
    return running_on_memcheck() || running_on_race_checker();
}

} // namespace linn::inline LINN_ABI::detail

#endif
