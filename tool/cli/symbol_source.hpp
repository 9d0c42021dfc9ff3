// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"
#include "../symbols/symbolizer.hpp"
#include "command.hpp"

#include <memory>
#include <string>
#include <vector>

namespace linn::tool {

/// Names by a symbolizer, which must outlive the result.
inline naming naming_by(symbolizer& symbols) {
    return {.name = [&](const allocation_site& site) { return symbols.name(site); },
            .about = [&](const std::string& module,
                         const std::string& build_id) { return symbols.about(module, build_id); }};
}

/// The options that say where debug information is, and what names the sites of a trace with it.
class symbol_source {
public:
    explicit symbol_source(CLI::App& app) : app_{app} {}

    /// Adds --debug-dir and --debuginfod to the command, in the group that new options have.
    void add() {
        add_words(app_, "--debug-dir", folders_, "FOLDER",
                  "also look here for debug information, before /usr/lib/debug; may be repeated")
            ->check(existing_folder());
        app_.add_flag("--debuginfod", use_debuginfod_,
                      "fetch missing debug information from DEBUGINFOD_URLS");
    }

    /// A new symbolizer, which stays as long as this. @pre the arguments were parsed
    void open() {
        symbol_options where;
        where.debug_folders.insert(where.debug_folders.begin(), folders_.begin(), folders_.end());
        where.use_debuginfod = use_debuginfod_;
        symbols_ = std::make_unique<symbolizer>(where);
    }

    symbolizer& symbols() noexcept { return *symbols_; } ///< @pre open() was called
    /// Names by it. @pre open() was called; not longer than this
    naming names() { return naming_by(*symbols_); }

private:
    CLI::App& app_;
    std::vector<std::string> folders_;
    bool use_debuginfod_ = false;
    std::unique_ptr<symbolizer> symbols_;
};

} // namespace linn::tool
