// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SANITIZER_VALGRIND_HPP
#define LINN_DETAIL_SANITIZER_VALGRIND_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// The number of the first request of one of Valgrind's tools, by the tool's two letters.
constexpr std::uint64_t valgrind_requests(char first, char second) noexcept {
    return (std::uint64_t{static_cast<unsigned char>(first)} << 24) +
           (std::uint64_t{static_cast<unsigned char>(second)} << 16);
}

/// A client request: a sequence of instructions that does nothing on a real processor and that Valgrind recognises.
/// @returns 0 without Valgrind, and under a tool that does not know the request
/// @source Valgrind manual, section 3.1 "The client request mechanism"
inline std::uint64_t ask_valgrind([[maybe_unused]] std::uint64_t what,
                                  [[maybe_unused]] std::uint64_t first = 0,
                                  [[maybe_unused]] std::uint64_t second = 0,
                                  [[maybe_unused]] std::uint64_t third = 0) noexcept {
#if defined(LINN_DETAIL_ASK_VALGRIND)
    const volatile std::uint64_t request[6] = {what, first, second, third, 0, 0};
    std::uint64_t answer = 0;
    LINN_DETAIL_ASK_VALGRIND(answer, request);
    return answer;
#else
    return 0;
#endif
}

// -- race checkers ------------------------------------------------------------------------------

/// True under Helgrind and DRD. Each answers a request of its own: Helgrind that it cannot write to the address 1, DRD
/// with the number of the thread.
/// @source Valgrind 3.19, helgrind.h: _VG_USERREQ__HG_GET_ABITS; drd.h: VG_USERREQ__DRD_GET_VALGRIND_THREAD_ID
inline bool running_on_race_checker() noexcept {
    return ask_valgrind(valgrind_requests('H', 'G') + 256 + 46, 0, 1, 1) != 0 ||
           ask_valgrind(valgrind_requests('D', 'R')) != 0;
}

/// Tells both race checkers of an order between threads: what a thread did before it released a tag happens before what
/// follows an acquire of the same tag in other threads.
/// @source Valgrind 3.19, helgrind.h: _VG_USERREQ__HG_USERSO_SEND_PRE, and RECV_POST; DRD has the same numbers
inline void tell_happens(bool acquires, std::uintptr_t tag) noexcept {
    ask_valgrind(valgrind_requests('H', 'G') + 256 + (acquires ? 34 : 33), tag);
}

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

} // namespace linn::inline LINN_ABI::detail

#endif
