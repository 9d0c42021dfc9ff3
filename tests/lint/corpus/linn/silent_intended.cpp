// SPDX-License-Identifier: Apache-2.0
// global: a specialisation stands in its template's namespace.
#include <linn/memory.hpp>
struct intended_histogram {
    long buckets[512];
    int used = 0;
};
template <>
inline constexpr bool linn::zero_fill_intended<intended_histogram> = true;
auto intended_a = std::make_unique<intended_histogram>();
auto intended_b = linn::make_unique<intended_histogram>();
