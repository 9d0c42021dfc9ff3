// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// How a contender gets its memory functions.
enum class contender_kind {
    system,    ///< the C library, nothing preloaded
    preload,   ///< a library in LD_PRELOAD
    in_process ///< a pool compiled into the worker, over the C library
};

/// The word that reports use for a kind.
const char* to_string(contender_kind kind) noexcept;

/// One row of a report.
struct contender {
    std::string name;  ///< stable: options and JSON use it
    std::string title; ///< what the table shows
    contender_kind kind = contender_kind::system;
    std::string worker_id; ///< the worker's name for the code to run
    std::filesystem::path library;
    std::vector<std::string> notes;
    provider_proof proof;
    std::vector<std::string> environment = {}; ///< NAME=value, set for its processes alone
    bool only_variants = false;                ///< takes part in scenarios with variants only
};

/// A contender that is not measured, and why.
struct left_out {
    std::string name;
    std::string scenario; ///< empty: all
    std::string reason;
    std::string variant = {}; ///< empty: all, or the scenario has none
};

/// The names that `--only` accepts.
std::vector<std::string> contender_names(const user_allocators& extra);

/// The names of the two copies of the baseline; their difference is the noise floor.
inline constexpr const char* baseline_name = "glibc";
inline constexpr const char* control_name = "glibc-again";
inline constexpr const char* no_trim_name = "glibc-no-trim";
inline constexpr const char* linn_name = "linn";

/// Every contender whose library is there and proves to work; the others go to `missing`. A name in `extra` replaces
/// the catalogue's entry. An empty `only` means all; the baseline and its copy always take part. `tick` is called with
/// the name of each library that is tried.
std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out>& missing, const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick);

} // namespace linn::tool
