// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace linn::tool {

/// What compiled the parts of a file, as its .comment section says. The C library's start files are GCC's nearly
/// everywhere, so `gcc` together with `clang` says nothing.
struct compilers {
    bool gcc = false;
    bool clang = false;
};

/// Nothing where the file cannot be read, or was stripped of that section.
compilers compilers_of(const std::string& path);

} // namespace linn::tool
