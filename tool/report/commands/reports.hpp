// SPDX-License-Identifier: Apache-2.0
// What each command says of its result: a document, which every output format is written from. The sources are named after the
// commands. A document refers to the result, which must outlive it.
#pragma once

#include "../document/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

struct advice;
struct allocator_entry;
struct bench_result;
struct check_result;
struct estimate;
struct file_comparison;
struct headline_result;
struct lint_result;
struct metric_info;
struct run_result;
struct run_row;
struct trace_comparison;
struct trace_counts;
struct trace_info;
struct trace_profile;
struct trace_view;
struct try_result;

namespace report {

/// What text shows of an advice; a page has everything.
struct advise_view {
    std::size_t top = 10;  ///< types in the table
    std::string only_type; ///< details of the types whose name holds this; empty: of the first few
};

document advise_document(const advice& a, const advise_view& view);

document allocators_document(const std::vector<allocator_entry>& entries);

/// @pre `judge` has run
document bench_document(const bench_result& result);

/// Every test of the headline, with what is said of all of them together: fifteen lines of at most 100 characters.
table headline_table(const headline_result& h);

// bench_json.cpp: the document's JSON, and its CSV with a line for each phase of a row.
data_table bench_data(const bench_result& result);
nlohmann::ordered_json bench_json(const bench_result& result);

document check_document(const check_result& r);
document compare_document(const file_comparison& result);

/// What changed between two recordings. @param top rows of a table in a terminal
document trace_compare_document(const trace_comparison& c, std::size_t top);

/// The places, files that could not be checked, and remarks. Text shows at most `top` places, all for 0.
document lint_document(const lint_result& result, std::size_t top);

document run_document(const run_result& result);

/// What `linn trace` says of a file. Its page also shows the blocks, where `profile` is not null. @pre the trace was read
document trace_document(const std::string& file, const trace_info& info, const trace_counts& counts,
                        const trace_profile* profile, const trace_view& view);

/// What `linn trace --peak`, `--temporary` and `--leaks` say: some of the blocks of a recording by type, place and stack.
document trace_view_document(const trace_profile& profile, const trace_view& view, std::size_t top);

/// The table of its types, of which text shows so many.
table held_types(const trace_view& view, std::size_t top);

document try_document(const try_result& result, const std::vector<std::string>& command);

// try_sentences.cpp: the judgement, what explains it, and what weakens the figures.
std::string try_verdict(const try_result& result);
std::vector<std::string> try_findings(const try_result& result);
std::vector<std::string> try_warnings(const try_result& result);

// What the reports of `linn run` and `linn try` say of a run alike, as blocks that each puts under headings of its own.

/// The run in the schema "linn.run/2", to be written to a file or to be a part of another document.
nlohmann::ordered_json run_fields(const run_result& result);

/// The verdict on a metric of a row: "faster", "less", "tie", "(control)"; nothing for the default.
cell verdict_cell(const run_row& row, const estimate& e, std::string_view metric);

/// The metrics that are compared but for one, which is shown elsewhere.
picture others_plot(const run_result& result, const metric_info& shown);

/// What the two copies of the default differ by in these metrics, and what that means; empty where it is not known.
std::string noise_remark(const run_result& result, std::initializer_list<std::string_view> of);

/// The program, the options and the machine.
facts facts_of(const run_result& result);

/// A line for each row and metric that has values, and the columns that CSV shows of it.
nlohmann::ordered_json run_lines(const run_result& result);
inline constexpr std::string_view run_columns =
    "contender title metric unit rounds median low high min ratio ratio_low ratio_high p p_adjusted call "
    "noise_floor repeated failure command complete started version cpu";

} // namespace report
} // namespace linn::tool
