// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace linn::tool {

/// A version that is known to compute something wrong.
struct known_defect {
    std::string_view version; ///< as the library or its package says it, whole or up to a '.', '-' or '+'
    std::string_view what;    ///< what it does wrong
};

/// A general-purpose allocator that the tool knows how to find: a row of the table in catalogue.cpp.
struct known_allocator {
    std::string_view name;                        ///< stable: options and JSON use it
    std::string_view title;                       ///< "tcmalloc (Google)"
    std::string_view licence;                     ///< SPDX
    std::array<std::string_view, 3> sonames = {}; ///< in order of preference; the others are empty
    std::string_view package = {};     ///< the Debian and Ubuntu package that carries it; empty: none does
    bool can_install = false;          ///< `linn allocators --install` knows how to build it
    std::string_view environment = {}; ///< NAME=value that its processes need; empty: none
    std::string_view remark = {};      ///< what a reader of its figures must know
    known_defect defect = {};          ///< of one version, or none
};

/// Every general allocator looked for, in the order in which reports name them; the C library is the first.
std::span<const known_allocator> known_allocators() noexcept;

/// The entry of that name, or null.
const known_allocator* find_known_allocator(std::string_view name) noexcept;

/// The names of the catalogue that `name` stands for: itself, or several for "mimalloc", one for "ptmalloc"; empty when
/// the catalogue knows neither.
std::span<const std::string_view> names_meant_by(std::string_view name) noexcept;

/// The names that stand for others.
std::span<const std::string_view> alias_names() noexcept;

} // namespace linn::tool
