// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linn::tool {

/// Who provides the memory functions of a measured process, as that process itself reported.
struct provider_proof {
    std::map<std::string, std::string> files; ///< function → file; keys "malloc", "free", "operator new" …
    bool preload_mapped = false;

    std::string file_of(const std::string& function) const; ///< that provides it; empty: none does
    std::string told(const std::string& function) const;    ///< "malloc is provided by /usr/lib/libc.so.6"
};

/// True for a file that is the C library.
bool is_c_library(const std::string& file);

/// True for a file that is the C++ library, whose operators call malloc.
bool is_cxx_runtime(const std::string& file);

/// Compares the proof with what was asked. Returns an empty string when the process ran on `library`, under any of its names, otherwise
/// why its figures must not be printed. A library may leave operator new and delete to the C++ runtime, and `executable` may bring
/// its own: both call malloc. An empty library means the system's C library and C++ runtime, with nothing preloaded.
std::string refute(const provider_proof& proof, const std::filesystem::path& library,
                   const std::filesystem::path& executable = {});

/// The same file under any of its names.
bool is_same_file(const std::string& a, const std::string& b);

/// What the probe program found out about one library.
struct probe_report {
    provider_proof proof;
    std::string version;            ///< as the library tells it; empty: it does not
    unsigned checks = 0;            ///< promises checked
    std::vector<std::string> wrong; ///< promises broken that a correct program may stumble on
    std::vector<std::string> weak;  ///< promises broken that concern rare calls only
    std::string failure; ///< why the probe did not come to its end: signal, time limit, the loader's words
    bool interrupted = false;
};

/// Starts the probe program under `library` (empty: under none) and tries it.
probe_report try_library(const std::filesystem::path& library, const std::vector<std::string>& environment,
                         std::chrono::seconds timeout, const interrupt_guard& guard);

/// What the dynamic loader said about a library that it did not preload; empty when it said nothing.
std::string loader_complaint(const std::string& standard_error);

} // namespace linn::tool
