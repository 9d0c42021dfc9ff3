// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace linn::tool {

/// A general-purpose allocator that the tool knows how to find.
struct known_allocator {
    std::string_view name;
    std::span<const std::string_view> sonames; ///< in order of preference
    std::string_view package;                  ///< the Debian and Ubuntu package that carries the first one
};

/// Every general allocator looked for, in the order in which reports name them.
std::span<const known_allocator> known_allocators() noexcept;

/// The entry of that name, or null.
const known_allocator* find_known_allocator(std::string_view name) noexcept;

} // namespace linn::tool
