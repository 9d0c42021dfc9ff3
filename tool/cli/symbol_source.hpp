// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"
#include "../symbols/symbolizer.hpp"
#include "command.hpp"

#include <string>

namespace linn::tool {

/// Names by a symbolizer, which must outlive the result.
inline naming naming_by(symbolizer& symbols) {
    return {.name = [&](const allocation_site& site) { return symbols.name(site); },
            .about = [&](const std::string& module,
                         const std::string& build_id) { return symbols.about(module, build_id); }};
}

/// Adds --debug-dir and --debuginfod, which say where debug information is, in the group that new options have.
inline void add_symbol_options(CLI::App& app, symbol_options& into) {
    add_words(app, "--debug-dir", into.debug_folders, "FOLDER",
              "also look here for debug information, before /usr/lib/debug; may be repeated")
        ->check(existing_folder());
    app.add_flag("--debuginfod", into.use_debuginfod, "fetch missing debug information from DEBUGINFOD_URLS");
}

} // namespace linn::tool
