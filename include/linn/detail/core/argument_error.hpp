// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_ARGUMENT_ERROR_HPP
#define LINN_DETAIL_CORE_ARGUMENT_ERROR_HPP

#include <linn/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace linn::inline LINN_ABI::detail {

/// Throws `Error` with that text. Where exceptions are off, prints it and ends the program.
template <class Error>
[[__noreturn__, LINN_DETAIL_COLD]] void throw_argument_error(const char* text) {
#if defined(__cpp_exceptions)
    throw Error{text};
#else
    std::fprintf(stderr, "%s\n", text);
    std::abort();
#endif
}

} // namespace linn::inline LINN_ABI::detail

#endif
