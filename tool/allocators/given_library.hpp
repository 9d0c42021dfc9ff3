// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inventory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// Reads what a user gave to `--allocator`, "NAME=PATH", and adds it to `list`. A name that is in `reserved` or was given
/// before is refused, and one that the lists of names of other options could not hold. Returns what is wrong, or an empty
/// string.
std::string take_library(const std::string& text, const std::vector<std::string>& reserved,
                         user_allocators& list);

/// What is wrong with the first of these paths that is no shared library, or an empty string. Runs nothing.
std::string wrong_library(const user_allocators& given);

/// Tries each library that a user gave to a command. True where one is no library or does not provide malloc, which was then said
/// on standard error. One that fails at work is a result, not a mistake on the command line.
bool refuses_libraries(const char* command, const user_allocators& given, const interrupt_guard& guard);

/// Reads the lists that a user gave to `option`, "NAME,NAME", into `chosen`. Returns what is wrong, or an empty string: a
/// name that is not in `names`, or nothing but commas.
std::string take_names(std::string_view option, const std::vector<std::string>& lists,
                       const std::vector<std::string>& names, std::vector<std::string>& chosen);

} // namespace linn::tool
