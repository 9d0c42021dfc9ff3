// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf_file.hpp"
#include "symbolizer.hpp"

#include <memory>
#include <string>

namespace linn::tool {

/// What was found for a module's debug information.
struct debug_file {
    std::unique_ptr<elf_file> file; ///< null: none
    std::string problem;            ///< a sentence on what kept it from being found, where that can be mended
};

/// Looks for the file that `strip` left the debug information in: by build id in the debug folders, by .gnu_debuglink
/// beside the module, in its .debug folder and in the debug folders, and by debuginfod where that is allowed.
debug_file find_debug_file(const elf_file& module, const symbol_options& options);

/// Where a supplementary file (dwz's .gnu_debugaltlink) with this build id and name lies; empty: nowhere.
std::string find_supplementary_file(const std::string& beside, const std::string& name,
                                    const std::string& build_id, const symbol_options& options);

/// Asks the debuginfod servers for the debug file of a build id; empty with a `problem` where that is not possible.
std::string ask_debuginfod(const std::string& build_id, std::string& problem);

} // namespace linn::tool
