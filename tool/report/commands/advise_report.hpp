// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/document.hpp"
#include "../plots/flame_plot.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace linn::tool::report {

/// What text shows of an advice; a page has everything.
struct advise_view {
    std::size_t top = 10;  ///< types in the table
    std::string only_type; ///< details of the types whose name holds this; empty: of the first few
};

/// The report of `linn advise`, the verdict first. `frames` names the frames of any stack, for the flame graph; without it
/// only the callers that the advice holds are drawn.
document advise_document(const advice& a, const advise_view& view, const html::frames_of_stack& frames = {});

/// A line for each type, for CSV.
data_table advise_data(const advice& a);

/// The advice as JSON, schema "linn.advise/2": docs/reference/advise-json.md.
std::string advise_json(const advice& a);

// What the tables and the details of an advice say alike.

/// The share of the CPU time that a type's allocations take, as its interval: "9-12 %"; "-" where it is not known.
cell time_cell(const advice& a, const site_time& time);

/// How much of the releases were done by another thread; "-" without releases.
cell remote_cell(const advised_type& type);

/// The median lifetime; "-" without releases.
cell lifetime_cell(const advised_type& type);

/// The size of most blocks, or from where to where.
cell size_cell(const advised_type& type);

/// Of a sampled trace: the 95 % interval of the bytes that the type allocated; else empty.
cell sampled_bytes_cell(const advised_type& type);

inline double part_of(std::uint64_t part, std::uint64_t whole) noexcept {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Types that one row stands for.
struct types_together {
    std::size_t types = 0;
    std::uint64_t allocations = 0;
    site_time time;
};
types_together sum_of(std::span<const advised_type* const> types);

/// "./app 100: 15.1 M allocations and 15.1 M releases by 2 threads, 412 ms of CPU time without the recording".
std::string run_line(const advice& a);

/// What the shares are, and how many calls were timed; why they are not known.
std::string method_line(const advice& a);

/// Adds the types of the program for a page, each with what to do, why, and where, folded away below its row. Types that take
/// little time share the last row, and a table that can be unfolded.
void add_page_of_types(section& to, const advice& a);

} // namespace linn::tool::report
