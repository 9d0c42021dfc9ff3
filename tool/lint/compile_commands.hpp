// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The words of a command line as a POSIX shell splits them: quotes and backslashes are taken away, nothing is expanded.
/// A quote that is not closed ends with the text. @source JSON Compilation Database Format, field "command"
std::vector<std::string> command_words(std::string_view text);

/// How one file is compiled.
struct compile_command {
    std::string file;      ///< absolute, without . and ..
    std::string directory; ///< where the command runs; absolute
    std::vector<std::string> arguments;
};

/// What a compile_commands.json says.
struct compile_database {
    std::filesystem::path path;   ///< of the file as it was found
    std::filesystem::path folder; ///< in which the file lies, links followed: the build folder
    std::vector<compile_command> commands;
};

/// The files below a folder that `is_wanted` says yes to. Negative `levels`: however deep.
std::vector<std::filesystem::path>
files_below(const std::filesystem::path& folder,
            const std::function<bool(const std::filesystem::path&)>& is_wanted, int levels = -1);

/// The compile database of a folder, or the one that `given` names itself. With an empty `given`: of the current folder, of
/// its build folders (build*, cmake-build*, out, and one level below them; the newest), else of the nearest folder
/// above that has one. @throws unusable_input
std::filesystem::path find_compile_database(const std::string& given);

/// Reads it. @throws unusable_input
compile_database read_compile_database(const std::filesystem::path& path);

/// True for what is compiled as C++: by its extension, or because the command says so with -x.
bool is_cxx(const compile_command& command);

/// The command with which clang-tidy is run: without launchers such as ccache, without warnings (-Werror would stop it), and
/// without precompiled headers and plugins, which are another compiler's. Clang takes up a precompiled header next to one that
/// the driver's -include names, but not next to one that the front end's does.
std::vector<std::string> arguments_for_clang(const compile_command& command);

} // namespace linn::tool
