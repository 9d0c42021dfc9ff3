// SPDX-License-Identifier: Apache-2.0
#include "try_csv.hpp"

#include "run_csv.hpp"
#include "try_cells.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

/// What is known of the candidate that a row measures alone.
std::vector<csv_field> candidate_fields(const try_result& result, const run_row& row) {
    const std::optional<std::size_t> candidate = candidate_of(result, row);
    if (!candidate)
        return std::vector<csv_field>(5);
    const std::size_t i = *candidate;
    const try_candidate& c = result.candidates.list[i];
    return {c.share, i < result.hits.size() ? csv_field{result.hits[i]} : csv_field{}, result.routed(i),
            std::find(result.chosen.begin(), result.chosen.end(), i) != result.chosen.end(),
            c.addresses.size() == 1 ? c.addresses.front() : std::string{}};
}

} // namespace

std::string try_csv(const try_result& result) {
    std::vector<csv_field> heading = run_csv_columns();
    for (const char* name : {"part", "share", "hits", "routed", "chosen", "address"})
        heading.emplace_back(name);
    std::string out = csv_line(heading);
    for (const try_part& part : parts_of(result))
        for (const run_row& row : part.run->rows)
            for (const metric_info& metric : metrics()) {
                std::vector<csv_field> fields = run_csv_fields(*part.run, row, metric);
                if (fields.empty())
                    continue;
                fields.emplace_back(part.name);
                for (csv_field& field : candidate_fields(result, row))
                    fields.push_back(std::move(field));
                out += csv_line(fields);
            }
    return out;
}

} // namespace linn::tool
