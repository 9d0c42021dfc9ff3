// SPDX-License-Identifier: Apache-2.0
#include "compiler_of.hpp"

#include "elf_file.hpp"

#include <string_view>

namespace linn::tool {

compilers compilers_of(const std::string& path) {
    compilers found;
    const auto file = elf_file::open(path);
    if (file == nullptr) {
        return found;
    }
    const std::string text = file->section_text(".comment");
    found.gcc = text.find("GCC: ") != std::string::npos;
    found.clang = text.find("clang version ") != std::string::npos;
    return found;
}

} // namespace linn::tool
