// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../lint/lint.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// "1504 B", "8.000 MiB", "64 B each".
std::string fill_text(const fill_facts& fill);

/// "src/cache.cpp:110:22", from the current folder where the file lies below it.
std::string place_text(const std::string& file, const text_place& place);

/// "data 8.000 MiB, key 32 B".
std::string members_text(const lint_finding& finding);

/// "yes", "note" (needs --fix-notes), "fixed", "refused" or "no".
std::string fix_text(const lint_finding& finding);

/// "11 places write 8.000 MiB of zeros for nothing, 3 more would write them after a change": the first sentence of every report,
/// without its full stop.
std::string lint_headline(const lint_result& result);

/// "117 files checked by clang-tidy 19.1.7, places of 64 bytes and more": what the headline holds for.
std::string lint_scope(const lint_result& result);

/// What a reader has to know beside the places: fixes to be had, what was left out, what went wrong. `top` is how many
/// places are shown, 0 for all.
std::vector<std::string> lint_remarks(const lint_result& result, std::size_t top);

/// What stands above the places of a kind; empty for the first.
std::string heading_of(fill_kind kind);

/// "1 place", "2 places".
std::string count_text(std::size_t n, const char* thing);

/// One line: line ends become spaces.
std::string one_line(std::string text);

} // namespace linn::tool
