// SPDX-License-Identifier: Apache-2.0
// Views of a profile that is made by hand: sums by type, place and stack, their order, and what the report says of them.
#include "profile/trace_view.hpp"

#include "report/commands/reports.hpp"
#include "report/render/render.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::trace_view_tests {

profile_frame frame(const char* name, const char* file, unsigned line) {
    profile_frame f;
    f.name = name;
    f.file = file;
    f.line = line;
    return f;
}

void add_site(trace_profile& profile, const char* label, const profile_frame& place, std::uint64_t blocks,
              std::uint64_t size, std::uint64_t at_peak, std::uint64_t temporary, std::uint64_t live) {
    analysed_site site;
    site_statistics& s = site.statistics;
    s.allocations = blocks;
    s.bytes = blocks * size;
    s.smallest = s.largest = size;
    s.live_at_peak = at_peak;
    s.live_bytes_at_peak = at_peak * size;
    s.temporary = temporary;
    s.temporary_bytes = temporary * size;
    s.live_at_end = live;
    s.live_bytes_at_end = live * size;
    profile.analysis.all.merge(s);
    profile.analysis.sites.push_back(site);
    profile_site& named = profile.sites.emplace_back();
    named.label = label;
    named.place = place;
    named.callers = {place, frame("main", "main.cpp", 3)};
    named.smallest = named.largest = size;
    named.counts = {{blocks, blocks * size, temporary, live, live * size}};
}

/// Two stacks of one type, one of another whose name is a script, and one block that the runtime keeps.
trace_profile made_profile() {
    trace_profile profile;
    profile.path = "made.linn";
    profile.analysis.info.command = {"/bin/made"};
    profile.analysis.info.ending = "exit status 0";
    profile.analysis.info.duration_ns = 1000;
    profile.analysis.peak_ns = 500;
    add_site(profile, "Node", frame("f", "a.cpp", 7), 100, 10, 20, 50, 0);
    add_site(profile, "Node", frame("g", "a.cpp", 9), 10, 10, 10, 0, 2);
    add_site(profile, "<script>x", frame("f", "a.cpp", 7), 4, 1000, 1, 3, 1);
    add_site(profile, "Kept", frame("init", "", 0), 1, 5000, 1, 0, 1);
    profile.sites.back().counts = {{1, 5000, 0, 0, 0}};
    profile.kept_by_runtime.push_back({"stdio-buffer", "buffers", 1, 5000});
    profile.analysis.all.peak_live_bytes = profile.analysis.all.live_bytes_at_peak;
    return profile;
}

/// In one line, wherever a terminal breaks it.
std::string text_of(const trace_profile& profile, const trace_view& view) {
    std::string text = report::render_terminal(report::trace_view_document(profile, view, 10), {});
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

TEST_CASE("a view adds up by type, place and stack, and leaves out what has nothing") {
    const trace_profile profile = made_profile();
    const trace_view peak = look_at(profile, block_filter::peak);
    CHECK(peak.all.bytes == 20 * 10 + 10 * 10 + 1000 + 5000);
    REQUIRE(peak.types.size() == 3);
    CHECK(peak.types[0].label == "Kept");
    CHECK(peak.types[2].label == "Node");
    CHECK(peak.types[2].counts.blocks == 30);
    CHECK(peak.types[2].allocated.blocks == 110);
    REQUIRE(peak.places.size() == 3); // f at line 7 has two types
    CHECK(peak.places[1].counts.bytes == 1200);
    CHECK(peak.stacks.size() == 4);
    const trace_view temporary = look_at(profile, block_filter::temporary);
    REQUIRE(temporary.types.size() == 2);
    CHECK(temporary.types[0].label == "Node"); // by number, not by bytes
    CHECK(temporary.all.blocks == 53);
}

TEST_CASE(
    "of a program that goes on, what is live is no leak, and what it held before is said not to be known") {
    trace_profile profile = made_profile();
    profile.analysis.info.attached_pid = 77;
    profile.analysis.info.ran_on = true;
    const trace_view view = look_at(profile, block_filter::leaks);
    CHECK(text_of(profile, view).find("never released") == std::string::npos);
    CHECK(nlohmann::json::parse(report::trace_view_json(profile, view)).at("ran_on") == true);
}

TEST_CASE("a view says which module's names are missing, if it shows blocks of that module") {
    trace_profile profile = made_profile();
    profile.sites.front().unnamed = missing_symbols{"/home/me/app", "it was replaced", false};
    const trace_view view = look_at(profile, block_filter::peak);
    REQUIRE(view.missing_symbols.size() == 1);
    CHECK(text_of(profile, view).find("it was replaced") != std::string::npos);
    CHECK(nlohmann::json::parse(report::trace_view_json(profile, view)).at("missing_symbols").size() == 1);
    profile.sites.front().unnamed.reset();
    profile.sites.back().unnamed = missing_symbols{"/home/me/app", "it was replaced", false};
    CHECK(look_at(profile, block_filter::temporary).missing_symbols.empty()); // that site has none
}

} // namespace linn::tool::trace_view_tests
