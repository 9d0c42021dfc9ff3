// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linn::tool {

constexpr std::size_t longest_line = 400; ///< of the source; a longer one is not shown

/// A line of the user's, and what it becomes.
struct changed_line {
    std::string file;
    std::size_t number = 0; ///< from 1
    std::string before;
    std::string after;
};

/// Where a word stands in a line, as a word; npos: nowhere.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t from = 0);

/// What stands before a comment.
std::string_view code_of(std::string_view line);

/// Without spaces in front.
std::string trimmed(std::string text);

/// The change of a line, and what stands in front of it; or a form where no line is known.
std::string as_text(const std::string& header, const std::optional<changed_line>& change,
                    const std::string& form = {});

/// The option as one more argument of a template; empty where none is wanted.
std::string option_argument(const advised_type& type);

/// The class is the user's own, and C++: one can change it where it stands.
bool is_users_class(const advised_type& type);

struct advised_type;

/// A pool whose live objects take at least so much has huge pages: a slab is one, so that less than one is spent for
/// nothing, and each saves 511 page faults and as many entries of the TLB.
inline constexpr std::uint64_t huge_live_bytes = std::uint64_t{2} << 20;

/// What a slot of the preloaded pools measures for objects of so many bytes, unless they are over-aligned.
constexpr std::uint64_t preloaded_slot_bytes(std::uint64_t bytes) noexcept {
    return (bytes + 15) / 16 * 16;
}

/// The one place where it is decided, for the pools that `linn try` preloads and for those that `linn advise` suggests.
constexpr bool is_worth_huge_pages(std::uint64_t live_objects, std::uint64_t slot_bytes) noexcept {
    return live_objects * slot_bytes >= huge_live_bytes;
}

/// Whether the type's objects take enough at once.
bool has_huge_objects(const advised_type& type) noexcept;

/// Whether the pool that is advised for the type is one of objects, which has options, and is worth huge pages by itself.
bool is_worth_huge_pages(const advised_type& type) noexcept;

/// The option that a pool in the source needs for them, as code.
inline constexpr const char* huge_pages_option = "{.huge_pages = true}";

/// Why and how, as a sentence; empty where the type wants none. @pre `type.wants_huge_pages` is decided
std::string huge_pages_text(const advised_type& type);

} // namespace linn::tool
