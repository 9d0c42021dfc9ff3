// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"
#include "../run/probe/record.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace linn::tool {

/// How often as many blocks as the program has at its peak a littered heap gets, half of which are freed: so that there
/// is a hole for each of its blocks.
inline constexpr std::uint64_t litter_factor = 2;
/// All blocks together take at least and at most so much, before half of them are freed.
inline constexpr std::uint64_t least_litter_bytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t most_litter_bytes = std::uint64_t{256} << 20;
/// Larger blocks are no litter: allocators give them pages of their own.
inline constexpr std::uint64_t largest_litter = 64 << 10;

/// With what `linn try --litter` fills the heap before main: the sizes that the trace recorded, each in proportion to the
/// most blocks of it that were live at once. Most frequent first, 512 sizes at most; empty where the trace has none.
std::vector<probe::litter_size> litter_of(const trace_analysis& analysis);

/// Writes what the probe reads. @throws std::runtime_error when that fails
void write_litter(const std::vector<probe::litter_size>& sizes, const std::filesystem::path& file);

} // namespace linn::tool
