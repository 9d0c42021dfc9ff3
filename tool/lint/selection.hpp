// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile_database.hpp"
#include "project.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace linn::tool {

/// One translation unit to check.
struct lint_unit {
    std::string file;
    std::string directory;
    std::vector<std::string> arguments; ///< clean, see clean_arguments()
    bool is_whole = true; ///< false: it was chosen for a header, and only what was asked for is reported
};

/// What is to be checked, and what was left out.
struct lint_selection {
    std::vector<lint_unit> units;
    std::vector<std::string> headers; ///< asked for by name
    std::size_t not_cxx = 0;          ///< entries of the database in another language
    std::size_t excluded = 0;         ///< entries in the build folder or excluded
    std::size_t compiled_again = 0;   ///< further entries of a file that is read once
    std::vector<std::string> gone;    ///< files of entries that do not exist any more
    std::vector<std::string> remarks; ///< what was asked for and is not there
};

/// FILES that name nothing to check; the message names them.
class nothing_selected : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Chooses the entries of the database: all that the project does not exclude, or those that `patterns` name. A pattern is a
/// file, a folder or a glob with * ? []; a header stands for the entries that include it. A file that is named itself is
/// checked even where it is excluded. A file that several entries compile becomes one unit, by the first of them; with
/// `every_build` one for each that says something else. @throws nothing_selected
lint_selection select_units(const compile_database& database, const project& the_project,
                            const std::vector<std::string>& patterns, bool every_build = false);

} // namespace linn::tool
