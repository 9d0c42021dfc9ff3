// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace linn::tool {

/// Whether an enumeration has an enumerator of this value. Compilers put its name into the name of this function, and "(type)5"
/// where there is none.
template <auto value>
constexpr bool is_enumerator() noexcept {
    constexpr std::string_view name = __PRETTY_FUNCTION__;
    constexpr char behind = name[name.rfind(')') + 1];
    return behind < '0' || behind > '9';
}

/// Whether an enumeration that counts from 0 has so many enumerators.
template <class Enum, std::size_t count>
inline constexpr bool has_enumerators =
    is_enumerator<static_cast<Enum>(count - 1)>() && !is_enumerator<static_cast<Enum>(count)>();

/// The word of an enumerator. Each has one, in the same order: a list with more or fewer does not compile. What is no
/// enumerator, as in a damaged file, is "unknown".
template <class Enum, std::size_t count>
constexpr const char* word_of(Enum one, const char* const (&words)[count]) noexcept {
    static_assert(has_enumerators<Enum, count>, "a word for each enumerator");
    const auto place = static_cast<std::size_t>(one);
    return place < count ? words[place] : "unknown";
}

} // namespace linn::tool
