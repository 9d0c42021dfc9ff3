// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/findings.hpp"
#include "../advise/type_groups.hpp"
#include "../analysis/trace_analysis.hpp"
#include "profile_measure.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// One call on a stack, under a name that another build of the program has too.
struct profile_frame {
    std::string name;        ///< the function; "unknown in libfoo.so" where it has no name
    std::string file;        ///< without folders; empty: not known
    unsigned line = 0;       ///< 0: not known
    std::string folders;     ///< of the file
    std::string library;     ///< another project's shared library that it is in; empty: in none
    bool is_own = false;     ///< it is in the program, or in a library that is none of the system's
    bool is_unnamed = false; ///< nothing names the function

    /// The same function of the same file: lines may have moved.
    bool is_same(const profile_frame& other) const noexcept {
        return name == other.name && file == other.file;
    }
    /// Equal for frames that are the same.
    std::string key() const { return name + '\x02' + file; }
    /// "app.cpp:52"; without a line "in f(int)", or the library.
    std::string place() const;
};

/// What blocks are called whose type nothing names: "16-48-byte blocks of Parser::parse".
std::string blocks_label(std::uint64_t smallest, std::uint64_t largest, const std::string& where);

/// What one stack allocated by one call, with names.
struct profile_site {
    std::string label; ///< "std::list<Particle>", or "48-byte blocks of Parser::parse"
    std::string where; ///< "of Parser::parse" where nothing names the type; empty: it is named
    named_type named;
    profile_frame place;                ///< the innermost of the user's own code
    std::vector<profile_frame> callers; ///< the whole stack, innermost first, inlined calls too
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
    std::string
        lacks; ///< why nothing names the type, where it may be any: of the file that it is in; empty: not so
    profile_counts counts;
    std::optional<missing_symbols>
        unnamed; ///< why its type or its line is not known; nothing: it is, or cannot be

    /// Equal for sites of one type, in two builds of a program too: without the size of unnamed blocks, as a struct that
    /// grew is the same one.
    std::string type_key() const { return where.empty() ? label : '\x01' + where; }
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
/// unusable_trace for what is no trace, is damaged, or holds fills only.
trace_profile profile_trace(const std::filesystem::path& file, const naming& names,
                            const std::function<bool(double)>& progress = {});

/// The most bytes that some sites of a profile together had live at once; one truth value for each. Reads the trace again.
std::uint64_t peak_of_sites(const trace_profile& profile, const std::vector<bool>& sites);

/// Whether a file begins as a trace does. False for what cannot be read.
bool begins_as_trace(const std::filesystem::path& file);

/// Why a recording does not show the whole run: what is missing from it, or that it began late. Sentences; empty: it does.
std::vector<std::string> why_incomplete(const trace_info& info);

} // namespace linn::tool
