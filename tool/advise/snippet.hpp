// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <cstddef>
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

/// What stands before a comment.
std::string_view code_of(std::string_view line);

/// Without spaces in front.
std::string trimmed(std::string text);

/// The change of a line, and what stands in front of it; or a form where no line is known.
std::string as_text(const std::string& header, const std::optional<changed_line>& change,
                    const std::string& form = {});

/// The option for huge pages as one more argument of a template; empty where none is wanted.
std::string option_argument(const advised_type& type);

/// The class is the user's own, and C++: one can change it where it stands.
bool is_users_class(const advised_type& type);

/// The change that a remedy asks for, as lines that begin with "-" and "+", with the user's own line where the file can be
/// read and has one that fits; else a form to fill in. Empty where there is nothing to show.
std::string snippet_for(const advised_type& type, const source_reader& sources);

/// The change that gives a class of the user's a pool, at its declaration as the debug information has it. Empty: the class is
/// not the user's, or its declaration cannot be read.
std::string class_snippet(const advised_type& type, const source_reader& sources);

} // namespace linn::tool
