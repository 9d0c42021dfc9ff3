// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace linn::tool {

/// Who provides the memory functions of a measured process, as that process itself reported.
struct provider_proof {
    std::map<std::string, std::string> files; ///< function → file; keys "malloc", "free", "operator new" …
    bool preload_mapped = false;
};

/// True for a file that is the C library.
bool is_c_library(const std::string& file);

/// True for a file that is the C++ library, whose operators call malloc.
bool is_cxx_runtime(const std::string& file);

/// Compares the proof with what was asked. Returns an empty string when the process ran on `library` (empty path:
/// on the system's C library, with nothing preloaded), otherwise why its figures must not be printed.
std::string refute(const provider_proof& proof, const std::filesystem::path& library);

} // namespace linn::tool
