// SPDX-License-Identifier: Apache-2.0
// Writes a made-up trace in every format, for readers that are not ours: write_exports FOLDER. It is small enough to be counted by
// hand, and its names are hard. Stack 1 gets 3 blocks of 100 bytes and releases 2, stack 3 one of 1000 bytes that a realloc of
// stack 2 makes 2000, stack 4 one of 50 bytes released at once. Most is live (2300 bytes) at 6 µs; the run takes 10 µs.
#include "../support/made_events.hpp"
#include "analysis/accumulator.hpp"
#include "report/trace_export/trace_export.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace linn::tool;
using testing::allocation;
using testing::release;

namespace {

trace_info made_info() {
    trace_info info;
    info.command = {"/src/program", "an argument"};
    info.started = "2026-11-21T11:45:35Z";
    info.duration_ns = 10'000;
    info.modules = {{"/lib/libc.so.6", "abcdef0123"}, {"/src/program", "00112233"}};
    info.processes.resize(1);
    info.processes[0].pid = 4711;
    info.processes[0].executable = "/src/program";
    info.threads.resize(2);
    info.threads[0].tid = 4711;
    info.threads[1].tid = 4712;
    info.stacks = {{},
                   {{1, 0x1010}, {1, 0x9090}},
                   {{1, 0x2020}, {1, 0x9090}},
                   {{0, 0x5050}, {1, 0x2020}, {1, 0x9090}},
                   {{code_address::unknown_module, 0x7fff'1234}}};
    return info;
}

std::vector<event> made_events() {
    std::vector<event> events{
        allocation(0x100, 100, 1000),      allocation(0x200, 100, 2000), allocation(0x300, 1000, 3000, 0, 3),
        allocation(0x400, 50, 4000, 0, 4), release(0x400, 5000),         allocation(0x500, 2000, 5000, 0, 2),
        allocation(0x600, 100, 6000),      release(0x100, 7000, 1),      release(0x200, 8000),
        allocation(0, 1u << 30, 9000)};
    event& grown = events[5];
    grown.kind = event_kind::reallocation;
    grown.call = allocation_call::realloc;
    grown.old_address = 0x300;
    event& failed = events[9];
    failed.kind = event_kind::failure;
    failed.call = allocation_call::malloc;
    return events;
}

std::vector<symbol_frame> frames_at(const code_address& at) {
    switch (at.address) {
    case 0x1010: // two functions at one address
        return {{"std::vector<int, std::allocator<int> >::grow(unsigned long)", "/usr/include/vector", 77, 0,
                 true},
                {"make \"quoted\"; and more\n", "/src/a b.cpp", 12, 0, false}};
    case 0x2020:
        return {{"other(char const*)", "/src/other.cpp", 5, 0, false}};
    case 0x9090:
        return {{"main", "/src/main.cpp", 3, 0, false}};
    default:
        return {{}}; // not known
    }
}

/// What `linn trace` makes of events whose types have no names.
trace_profile profile_of(const trace_info& info, const std::vector<event>& events) {
    accumulator counted{info.sample_bytes};
    counted.take(events);
    naming names;
    names.name = [](const allocation_site&) { return named_type{}; };
    return name_profile("made up", counted.finish(info), names);
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: write_exports FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = std::string{arguments[1]} + '/';
    const trace_info info = made_info();
    const std::vector<event> events = made_events();
    const trace_profile profile = profile_of(info, events);
    bool done = true;
    const auto write = [&](const std::string& name, const auto& how) {
        std::ofstream file{folder + name, std::ios::binary};
        how(file);
        done = done && file.flush();
    };
    const auto convert = [&](const std::string& name, const export_options& options) {
        write(name, [&](std::ostream& out) { export_stacks(profile, frames_at, options, out); });
    };
    convert("bytes.collapsed", {});
    convert("allocations.collapsed", {.weight = export_weight::allocations});
    convert("trace.pb.gz", {.format = export_format::pprof});
    convert("stacks.csv", {.format = export_format::csv_stacks});
    write("events.csv", [&](std::ostream& out) {
        write_event_heading(info, out);
        write_events(info, events, out);
    });
    if (!done) {
        std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
    }
    return done ? 0 : 1;
}
