// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_THROWING_OBJECT_HPP
#define LINN_TESTS_FUZZ_THROWING_OBJECT_HPP

#include <cstddef>

namespace linn_fuzz {

struct refused_object {};

/// An object whose constructor may throw.
template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) object {
    object() noexcept {} // leaves the bytes alone
    explicit object(bool throws) {
        if (throws) {
            throw refused_object{};
        }
    }
    unsigned char bytes[Bytes];
};

} // namespace linn_fuzz

#endif
