// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SANITIZER_MEMCHECK_HPP
#define LINN_DETAIL_SANITIZER_MEMCHECK_HPP

#include <linn/config.hpp>

#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// True when the program runs under Valgrind's Memcheck. Not under Callgrind or Cachegrind, where
/// a pool must behave as it does alone, so that its instructions can be counted.
///
/// It is a client request: a sequence of instructions that does nothing on a real processor and
/// that Valgrind recognises. The request is MAKE_MEM_DEFINED with no bytes, which only Memcheck
/// answers. Some ten instructions; called on slow paths only, once a thread and pool.
///
/// @source Valgrind manual, section 3.1 "The client request mechanism"
inline bool running_on_memcheck() noexcept {
#if defined(__x86_64__) && defined(__linux__)
    constexpr std::uint64_t make_mem_defined = (std::uint64_t{'M'} << 24) + ('C' << 16) + 2;
    const volatile std::uint64_t request[6] = {make_mem_defined, 0, 0, 0, 0, 0};
    std::uint64_t answer = 0;
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&request[0])
                     : "cc", "memory");
    return answer != 0;
#elif defined(__aarch64__) && defined(__linux__)
    constexpr std::uint64_t make_mem_defined = (std::uint64_t{'M'} << 24) + ('C' << 16) + 2;
    const volatile std::uint64_t request[6] = {make_mem_defined, 0, 0, 0, 0, 0};
    std::uint64_t answer = 0;
    __asm__ volatile("mov x3, %1\n\tmov x4, %2\n\t"
                     "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10\n\t"
                     "mov %0, x3"
                     : "=r"(answer)
                     : "r"(std::uint64_t{0}), "r"(&request[0])
                     : "cc", "memory", "x3", "x4");
    return answer != 0;
#else
    return false;
#endif
}

} // namespace linn::inline LINN_ABI::detail

#endif
