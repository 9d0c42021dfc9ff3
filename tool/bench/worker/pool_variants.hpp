// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "containers.hpp"
#include "object.hpp"
#include "variant.hpp"

#include <array>
#include <string_view>

namespace linn::tool::worker {

/// A way of getting memory as a variant of `object` and `containers`. A policy is a class with
/// - `template <class T> static auto allocator()`: the standard allocator of `T` to give to a container;
/// - `template <std::size_t Bytes> struct object`: a class of that size, constructible from an integer, whose
///   `new` and `delete` are the ones to measure.
template <class Policy>
constexpr std::array<variant, 2> pool_variants(std::string_view name) noexcept {
    return {{{"object", name, &run_object<Policy>}, {"containers", name, &run_containers<Policy>}}};
}

} // namespace linn::tool::worker
