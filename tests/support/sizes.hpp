// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_SIZES_HPP
#define LINN_TESTS_SUPPORT_SIZES_HPP

#include <cstddef>
#include <initializer_list>

namespace linn_test {

/// `for (const std::size_t n : sizes{1, 2, 3})`: a bare list of literals would be one of int.
using sizes = std::initializer_list<std::size_t>;

} // namespace linn_test

#endif
