// SPDX-License-Identifier: Apache-2.0
// The exports agree with `linn trace`. What other programs make of the files is tested by convert_cases.py.
#include "report/trace_export/trace_export.hpp"

#include "export_samples.hpp"
#include "made_events.hpp"
#include "unit.hpp"

namespace linn::tool::trace_export_tests {

using testing::allocation;
using testing::release;

/// The leaks that `linn trace --leaks` shows, and the lines of `--convert csv-stacks --leaks` without the heading.
std::pair<block_counts, std::size_t> leaks_of(const std::vector<event>& events) {
    trace_info info;
    info.stacks.resize(4);
    info.processes.resize(1);
    info.threads.resize(2);
    const trace_profile profile = samples::profile_of(info, events);
    const trace_view view = look_at(profile, block_filter::leaks);
    const std::vector<exported_stack> exported = exported_stacks(profile, block_filter::leaks, false);
    block_counts sum;
    for (const exported_stack& s : exported) {
        sum += s.counts;
    }
    CHECK(sum.blocks == view.all.blocks);
    CHECK(sum.bytes == view.all.bytes);
    std::ostringstream csv;
    write_stacks(info, exported, [](const code_address&) { return std::vector<symbol_frame>(1); }, csv);
    const std::string text = csv.str();
    return {view.all, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1};
}

TEST_CASE("a release by another thread whose clock is 1 ns early is no leak, in the view and in the export") {
    const auto [leaks, lines] = leaks_of({release(0x10, 10, 1), allocation(0x10, 64, 11)});
    CHECK(leaks.blocks == 0);
    CHECK(lines == 0);
}

TEST_CASE("a release that comes after its address was given out again leaves the new block, in both") {
    const auto [leaks, lines] =
        leaks_of({allocation(0x10, 100, 1), allocation(0x10, 7, 2, 1, 2), release(0x10, 3)});
    CHECK(leaks.blocks == 1);
    CHECK(leaks.bytes == 7);
    CHECK(lines == 1);
}

TEST_CASE("a format has a name, and a name that is none has no format") {
    for (const std::string& name : export_format_names()) {
        CHECK(export_format_names()[static_cast<std::size_t>(*export_format_of(name))] == name);
    }
    CHECK(export_format_of("csv-stacks") == export_format::csv_stacks);
    CHECK_FALSE(export_format_of("svg"));
}

} // namespace linn::tool::trace_export_tests
