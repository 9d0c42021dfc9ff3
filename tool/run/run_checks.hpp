// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.hpp"
#include "results.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// Who provides the functions of the program proper; null when it did not say. Where one program became another by
/// exec, the last one counts.
const process_proof* main_proof(const observation& o) noexcept;

/// Wall time of a run, with the littering of its heap, which takes time too. 0: not known.
double seconds_of(const observation& o);

/// What is wrong with a preparation that ended with `problem`; empty when that is empty.
std::string prepare_problem(const std::string& command, const std::string& problem);

/// Compares what the main process reported with what was asked. Returns an empty string when it ran on `library` (empty:
/// on `own_provider`, which is what the program brings) and what that passes on went to `behind` (empty: wherever),
/// otherwise why the run must not count.
std::string refute_run(const observation& o, const std::filesystem::path& library,
                       const std::filesystem::path& behind, const std::string& own_provider);

/// Says where two outputs part: "line 3 is 'b', not 'a'"; empty when they are equal.
std::string describe_difference(std::string_view expected, std::string_view actual);

/// The last lines that a failed run wrote, standard error first choice.
std::string last_words(const observation& o);

/// Reads what the probe wrote, in the order of the processes' starts. A damaged tail is left out.
std::vector<process_proof> read_proofs(const std::filesystem::path& file);

} // namespace linn::tool
