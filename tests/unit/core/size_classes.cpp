// SPDX-License-Identifier: Apache-2.0
// Every request gets the smallest class that holds it, never wastes more than promised, and is aligned.
#include "unit.hpp"

#include <linn/detail/core/size_classes.hpp>

namespace core_size_classes_tests {

using namespace linn::detail;

TEST_CASE("size_classes: ascending, and each size has the smallest class that holds it") {
    for (unsigned c = 1; c < size_class_count; ++c) {
        CHECK(class_bytes(c) > class_bytes(c - 1));
    }
    unsigned expected = 0;
    for (std::size_t n = 1; n <= largest_class_bytes; ++n) {
        if (n > class_bytes(expected)) {
            ++expected;
        }
        REQUIRE(class_of(n) == expected);
    }
    CHECK(expected == size_class_count - 1);
}

TEST_CASE("size_classes: at most 7 bytes or a quarter too large") {
    for (std::size_t n = 1; n <= largest_class_bytes; ++n) {
        const std::size_t waste = class_bytes(class_of(n)) - n;
        REQUIRE((waste <= 7 || waste * 4 <= n));
    }
}

TEST_CASE("size_classes: a size that is a multiple of an alignment gets slots with that alignment") {
    for (std::size_t align = 1; align <= largest_class_bytes; align *= 2) {
        for (std::size_t n = align; n <= largest_class_bytes; n += align) {
            REQUIRE(class_align(class_of(n)) % align == 0);
        }
    }
}

} // namespace core_size_classes_tests
