// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "findings.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linn::tool {

/// Applies the findings' fixes to the texts, in memory: each fix wholly or not at all, once, the first of two that overlap.
/// Fixes that came from notes take part where `with_notes` says so. Sets `state` and `refusal` of the findings. A file
/// that was changed after `read_at` is left alone, and so is every file but the finding's own.
/// @return the new text of every file that changes
std::map<std::string, std::string> apply_fixes(std::vector<lint_finding>& findings, source_texts& texts,
                                               bool with_notes, std::filesystem::file_time_type read_at);

/// Takes back what apply_fixes() said of a file that could then not be written.
void refuse_fixes_of(std::vector<lint_finding>& findings, const std::string& file, const std::string& reason);

} // namespace linn::tool
