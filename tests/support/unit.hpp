// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_UNIT_HPP
#define LINN_TESTS_SUPPORT_UNIT_HPP

/// @file
/// What tests of classes share: doctest, random numbers, and the standard headers. That a header of Linn includes what it
/// needs is tested in tests/headers.

#include "random.hpp"
#include "sizes.hpp"
#include "threads.hpp"

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace linn_test {

/// Whether objects lie in slabs, and are not each an `operator new` that a memory checker watches.
inline bool pooling() {
    return !linn::detail::sanitizer_bypass && !linn::detail::running_on_memcheck();
}

/// Whether threads keep objects that they freed.
inline bool caching() {
    return pooling() && !linn::detail::checked_build && linn::detail::thread_locals_last;
}

inline bool is_aligned(const void* p, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

} // namespace linn_test

#endif
