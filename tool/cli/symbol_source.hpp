// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/type_groups.hpp"
#include "../symbols/symbolizer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace linn::tool {

/// The options that say where debug information is, and what names the sites of a trace with it.
class symbol_source {
public:
    /// Adds --debug-dir and --debuginfod to a command, in the group that new options have.
    explicit symbol_source(CLI::App& app) : app_{&app} {}
    void add();

    /// A new symbolizer, which stays as long as this. @pre the arguments were parsed
    symbolizer& open();
    symbolizer& symbols() noexcept { return *symbols_; } ///< @pre open() was called
    /// Names by it. @pre open() was called; not longer than this
    naming names();

private:
    CLI::App* app_;
    std::vector<std::string> folders_;
    bool use_debuginfod_ = false;
    std::unique_ptr<symbolizer> symbols_;
    std::unique_ptr<type_namer> namer_;
};

} // namespace linn::tool
