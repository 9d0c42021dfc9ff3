// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace_analysis.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace linn::tool {

/// An analysis as JSON, with the stacks, modules, processes and threads that it refers to: what a trace holds in place of
/// events when only statistics were kept.
std::string analysis_text(const trace_analysis& analysis);

/// The reverse. What the recording itself knows (command, times, clock) is taken from `info`, the tables from the text.
/// Nothing where the text is not what analysis_text() writes.
std::optional<trace_analysis> read_analysis_text(std::string_view text, trace_info info);

/// The text without what redaction takes out of a trace: folders and arguments. Empty where the text is not what
/// analysis_text() writes.
std::string redacted_analysis_text(std::string_view text);

} // namespace linn::tool
