// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile_database.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// True for what is compiled as C++: by its extension, or because the command says so with -x.
bool is_cxx(const compile_command& command);

/// The command as Clang's front end can use it: without a launcher such as ccache, without warnings (a -Werror would stop it,
/// a -w would silence the checks), outputs, dependency files and precompiled headers, with response files
/// expanded. Of a command of GCC stay the arguments that decide what the text means: Clang refuses many of the others. The
/// compiler's name stays first, the file is last.
std::vector<std::string> clean_arguments(const compile_command& command);

} // namespace linn::tool
