// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"
#include "trace_profile.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool {

/// A type, a place or a stack, and those of its blocks that the filter lets through.
struct view_row {
    std::string label;                ///< the type; empty: of a place
    profile_frame place;              ///< of a place or a stack
    std::vector<profile_frame> stack; ///< innermost first; only of a stack
    block_counts counts;
    block_counts allocated; ///< all that it allocated
    std::uint64_t allocator_ns = 0;
};

/// A recording, looked at through a filter. Rows without blocks are left out; the others come by bytes, those of temporary
/// blocks by their number, and all blocks by the time in the allocator, where it is known.
struct trace_view {
    block_filter filter = block_filter::all;
    bool keeps_runtime = false; ///< what the runtime libraries keep on purpose counts as never released
    bool is_by_time = false;
    std::uint64_t allocator_ns = 0;
    block_counts all;
    block_counts allocated;
    std::vector<view_row> types;
    std::vector<view_row> places;
    std::vector<view_row> stacks;
    /// The modules whose code has no names or lines, and what to do about it.
    std::vector<std::string> missing_symbols;

    /// What rows are sorted and shared by: nanoseconds in the allocator, blocks, or bytes.
    std::uint64_t measure(const block_counts& counts, std::uint64_t ns) const noexcept {
        return is_by_time ? ns : filter == block_filter::temporary ? counts.blocks : counts.bytes;
    }
};

/// The rows, those first whose `size_of` is largest; of equal ones those whose key is less.
template <class Row, class Size>
std::vector<Row> sorted_rows(std::map<std::string, Row> by_key, const Size& size_of) {
    std::vector<Row> rows;
    for (auto& [key, row] : by_key) {
        rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, size_of);
    return rows;
}

/// Which blocks of a site the filter lets through. Of those that were never released, what the runtime libraries keep on purpose
/// counts only where `keeps_runtime` says so.
block_counts counts_of(const trace_profile& profile, std::size_t site, block_filter filter,
                       bool keeps_runtime = false);

/// Nanoseconds of CPU time in the allocator for the blocks of a site, with their page faults; 0 where that is not known.
std::uint64_t allocator_ns(const trace_profile& profile, std::size_t site);

/// Sums by type, place and stack.
trace_view look_at(const trace_profile& profile, block_filter filter, bool keeps_runtime = false);

/// The file of the process with most events, as the kernel named it; of a trace without processes the word that started the
/// program.
std::string recorded_program(const trace_info& info);

/// The part of a path behind the last slash, without the mark that the kernel gives a file that was replaced.
std::string program_name(const std::string& path);

} // namespace linn::tool
