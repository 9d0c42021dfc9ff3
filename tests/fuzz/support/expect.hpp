// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_EXPECT_HPP
#define LINN_TESTS_FUZZ_EXPECT_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace linn_fuzz {

/// Operations that were performed so far, of all inputs. One that concerns many objects counts as as many.
inline std::uint64_t operations_performed = 0;

/// Ends the program, so that both libFuzzer and the replay keep the input, when `holds` is false.
inline void expect(bool holds, const char* what,
                   std::source_location where = std::source_location::current()) {
    if (!holds) [[unlikely]] {
        std::fprintf(stderr, "linn fuzz: %s (%s:%u)\n", what, where.file_name(), where.line());
        std::abort();
    }
}

/// The same with both numbers, the actual one first.
template <class A, class B>
void expect_equal(A actual, B wanted, const char* what,
                  std::source_location where = std::source_location::current()) {
    if (static_cast<std::uint64_t>(actual) != static_cast<std::uint64_t>(wanted)) [[unlikely]] {
        std::fprintf(stderr, "linn fuzz: %llu, not %llu\n", static_cast<unsigned long long>(actual),
                     static_cast<unsigned long long>(wanted));
        expect(false, what, where);
    }
}

} // namespace linn_fuzz

#endif
