// SPDX-License-Identifier: Apache-2.0
#include "symbol_source.hpp"

#include "option_checks.hpp"

#include <CLI/CLI.hpp>

namespace linn::tool {

void symbol_source::add() {
    repeatable(
        app_->add_option("--debug-dir", folders_,
                         "also look here for debug information, before /usr/lib/debug; may be repeated"))
        ->type_name("FOLDER")
        ->check(existing_folder());
    app_->add_flag("--debuginfod", use_debuginfod_, "fetch missing debug information from DEBUGINFOD_URLS");
}

symbolizer& symbol_source::open() {
    symbol_options where;
    where.debug_folders.insert(where.debug_folders.begin(), folders_.begin(), folders_.end());
    where.use_debuginfod = use_debuginfod_;
    symbols_ = std::make_unique<symbolizer>(where);
    namer_ = std::make_unique<type_namer>(*symbols_);
    return *symbols_;
}

naming symbol_source::names() {
    naming names;
    names.name = [this](const allocation_site& site) { return namer_->name(site); };
    names.about = [this](const std::string& module, const std::string& build_id) {
        return symbols_->about(module, build_id);
    };
    return names;
}

} // namespace linn::tool
