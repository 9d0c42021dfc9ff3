// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/registered.hpp"
#include "../document/document.hpp"

#include <string>

namespace linn::tool::report {

/// A form in which every verb can write its document to a file. A file of this folder adds one by `const
/// registered<output_format> x_format{{...}};`: the option, its help, completions and manual pages follow from it.
struct output_format {
    int place;          ///< among the options
    const char* option; ///< "--csv"
    const char* help;   ///< "write the figures as CSV"
    std::string (*render)(const document&);
    bool is_page = false; ///< shows plots, which not every verb has
};

} // namespace linn::tool::report
