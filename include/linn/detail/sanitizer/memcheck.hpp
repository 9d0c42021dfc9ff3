// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SANITIZER_MEMCHECK_HPP
#define LINN_DETAIL_SANITIZER_MEMCHECK_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

enum class memcheck_request : unsigned char { make_noaccess, make_undefined, make_defined };

/// A client request: a sequence of instructions that does nothing on a real processor and that Valgrind recognises.
/// @returns 0 without Memcheck
/// @source Valgrind manual, section 3.1 "The client request mechanism", and 4.7 for Memcheck's
inline std::uint64_t ask_memcheck([[maybe_unused]] memcheck_request what, [[maybe_unused]] const void* begin,
                                  [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
    const volatile std::uint64_t request[6] = {(std::uint64_t{'M'} << 24) + ('C' << 16) +
                                                   static_cast<std::uint64_t>(what),
                                               reinterpret_cast<std::uintptr_t>(begin),
                                               bytes,
                                               0,
                                               0,
                                               0};
    std::uint64_t answer = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&request[0])
                     : "cc", "memory");
#else
    __asm__ volatile("mov x3, %1\n\tmov x4, %2\n\t"
                     "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10\n\t"
                     "mov %0, x3"
                     : "=r"(answer)
                     : "r"(std::uint64_t{0}), "r"(&request[0])
                     : "cc", "memory", "x3", "x4");
#endif
    return answer;
#else
    return 0;
#endif
}

/// True when the program runs under Valgrind's Memcheck. Not under Callgrind or Cachegrind, where
/// a pool must behave as it does alone, so that its instructions can be counted: the request is to mark no bytes,
/// which only Memcheck answers. Some ten instructions; called on slow paths only, once a thread and pool.
inline bool running_on_memcheck() noexcept {
    return ask_memcheck(memcheck_request::make_defined, nullptr, 0) != 0;
}

} // namespace linn::inline LINN_ABI::detail

#endif
