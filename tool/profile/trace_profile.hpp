// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../advise/findings.hpp"
#include "../advise/type_groups.hpp"
#include "../analysis/trace_analysis.hpp"
#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "../trace/info.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool {

/// Which blocks of a recording are shown.
enum class block_filter : std::uint8_t {
    all,
    peak,      ///< live when all together had the most bytes live
    temporary, ///< released by the very next call of their own thread
    leaks,     ///< never released
};

/// A stable word: "all", "peak", "temporary", "leaks".
constexpr const char* to_string(block_filter f) noexcept {
    return word_of(f, {"all", "peak", "temporary", "leaks"});
}

/// As a sentence calls such blocks: "allocated", "live at the peak", "temporary", "never released".
constexpr const char* words_of(block_filter f) noexcept {
    return word_of(f, {"allocated", "live at the peak", "temporary", "never released"});
}

/// Blocks, and their bytes together.
struct block_counts {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;

    block_counts& operator+=(const block_counts& more) noexcept {
        blocks += more.blocks;
        bytes += more.bytes;
        return *this;
    }
};

/// What is counted of a type, a place or a whole program.
enum class profile_measure : std::uint8_t {
    allocations,
    bytes,
    temporary,   ///< allocations that the very next call of the thread released
    live_blocks, ///< never released; without what the runtime libraries keep on purpose
    live_bytes,
    peak_bytes, ///< live at once; of several sites together it is no sum
};
inline constexpr std::size_t profile_measures = 6;
inline constexpr std::size_t summed_measures = 5; ///< the first ones
static_assert(has_enumerators<profile_measure, profile_measures>);

/// A stable word: "allocations", "bytes", "temporary", "live-blocks", "live-bytes", "peak-bytes".
const char* to_string(profile_measure m) noexcept;
/// As a sentence calls it: "allocations", "bytes", "temporary allocations", "blocks never released", "bytes never released",
/// "bytes live at once".
const char* words_of(profile_measure m) noexcept;
constexpr bool is_of_bytes(profile_measure m) noexcept {
    return m == profile_measure::bytes || m == profile_measure::live_bytes ||
           m == profile_measure::peak_bytes;
}
/// A value of that measure: whole counts with every digit.
figures::quantity figure_of(profile_measure m, double value);

/// A value for each measure. Where some are added, the peak is an upper bound.
struct profile_counts {
    std::array<std::uint64_t, profile_measures> of{};

    std::uint64_t operator[](profile_measure m) const noexcept { return of[static_cast<std::size_t>(m)]; }
    profile_counts& operator+=(const profile_counts& more) noexcept;
};

/// The function of a frame; "unknown in libfoo.so" where it has no name, as an address would differ between builds.
std::string function_name(const symbol_frame& frame);
/// "app.cpp:52"; without a line "in f(int)", or the module.
std::string place_name(const symbol_frame& frame);
/// Equal for frames of one function in one file, in two builds of a program too: lines and folders may have changed.
std::string frame_key(const symbol_frame& frame);

/// What blocks are called whose type nothing names: "16-48-byte blocks of Parser::parse".
std::string blocks_label(std::uint64_t smallest, std::uint64_t largest, const std::string& where);

/// What one stack allocated by one call, with names.
struct profile_site {
    std::string label; ///< "std::list<Particle>", or "48-byte blocks of Parser::parse"
    named_type named;
    /// Why nothing names the type, where it may be any: of the file that it is in; empty: not so.
    std::string lacks;
    profile_counts counts;
    /// Why its type or its line is not known; nothing: it is, or cannot be.
    std::optional<missing_symbols> unnamed;

    /// Equal for sites of one type, in two builds of a program too: without the size of unnamed blocks, as a struct that
    /// grew is the same one.
    std::string type_key() const { return named.blocks.where.empty() ? label : '\x01' + named.blocks.where; }
    /// Equal for sites with the same functions on their stacks.
    std::string callers_key() const;
};

/// A trace whose sites have names.
struct trace_profile {
    std::filesystem::path path;
    trace_analysis analysis;
    std::vector<profile_site> sites; ///< one for each of `analysis.sites`
    profile_counts all;
    std::vector<runtime_blocks> kept_by_runtime; ///< not among what is live
};

/// Names what an analysis holds.
trace_profile name_profile(const std::filesystem::path& file, trace_analysis analysis, const naming& names);

/// Reads a trace and names what it holds. Memory: in proportion to live blocks and to distinct stacks. Throws
/// unusable_input for what is no trace or is damaged.
trace_profile profile_trace(const std::filesystem::path& file, const naming& names,
                            const std::function<bool(double)>& progress = {});

/// The most bytes that some sites of a profile together had live at once; one truth value for each. Reads the trace again.
std::uint64_t peak_of_sites(const trace_profile& profile, const std::vector<bool>& sites);

/// Whether a file begins as a trace does. False for what cannot be read.
bool begins_as_trace(const std::filesystem::path& file);

/// Why a recording does not show the whole run: what is missing from it, or that it began late. Sentences; empty: it does.
std::vector<std::string> why_incomplete(const trace_info& info);

/// A type, a place or a stack.
struct profile_row {
    std::string label;               ///< the type; empty: of a place
    symbol_frame place;              ///< of a place or a stack
    std::vector<symbol_frame> stack; ///< innermost first; only of a stack
};

/// One of them, and those of its blocks that the filter lets through.
struct view_row : profile_row {
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
