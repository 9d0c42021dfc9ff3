// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "proof.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// What the probe program found out about one library.
struct probe_report {
    provider_proof proof;
    std::string version;            ///< as the library tells it; empty: it does not
    std::string backend;            ///< the library behind a forwarding one of ours; empty: none
    bool forwards = false;          ///< it is one of ours that needs a backend
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
