// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace linn::tool {

/// Reads all of a trace and compares its checksums. Why it is not what `linn record` wrote, with what to do; empty where it is,
/// also as a part: a file that was cut off, because its recorder was killed for example, is right as far as it goes. Empty too
/// for what cannot be opened. Linear in the file; nothing is decompressed.
std::string why_corrupt(const std::filesystem::path& file);

/// Throws damaged_trace with it.
void refuse_corrupt(const std::filesystem::path& file);

} // namespace linn::tool
