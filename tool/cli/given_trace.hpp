// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/type_groups.hpp"
#include "../symbols/symbolizer.hpp"
#include "../trace/info.hpp"
#include "../trace/reader.hpp"
#include "command.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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
};

/// Names by a symbolizer, which must outlive the result.
naming naming_by(symbolizer& symbols);

/// Why what a trace says does not hold for the program that will run: it is of another program, or of another build of it. Empty:
/// it is of this one. `file`: the program's; `words`: the program and its arguments, any of which may name the recorded program, as
/// behind `env` or `taskset`.
std::string why_other_program(const std::string& trace, const trace_info& info,
                              const std::filesystem::path& file, const std::vector<std::string>& words);

} // namespace linn::tool
