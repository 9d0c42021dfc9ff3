// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"

#include <span>
#include <string>

namespace linn::tool::report {

/// A form in which every command can write its document to a file: the option, its help, completions and manual pages follow
/// from it.
struct output_format {
    const char* option; ///< "--csv"
    const char* help;   ///< "write the figures as CSV"
    std::string (*render)(const document&);
    bool is_page = false; ///< shows plots, which not every command has
};

/// The forms, in the order of their options: a row each in output_format.cpp.
std::span<const output_format> output_formats() noexcept;

} // namespace linn::tool::report
