// SPDX-License-Identifier: Apache-2.0
// Writes a made-up trace in every format, for readers that are not ours: write_exports FOLDER.
#include "export_samples.hpp"
#include "report/trace_export/trace_export.hpp"

#include <cstdio>
#include <fstream>
#include <string>

using namespace linn::tool;

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: write_exports FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = std::string{arguments[1]} + '/';
    const samples::export_sample s = samples::make_export();
    const trace_profile profile = samples::profile_of(s.info, s.events);
    const auto all = exported_stacks(profile, block_filter::all, true);
    bool done = true;
    const auto write = [&](const char* name, const auto& how) {
        std::ofstream file{folder + name, std::ios::binary};
        how(file);
        done = done && file.flush();
    };
    write("bytes.collapsed",
          [&](std::ostream& out) { write_collapsed(s.info, all, s.names, export_weight::bytes, out); });
    write("allocations.collapsed",
          [&](std::ostream& out) { write_collapsed(s.info, all, s.names, export_weight::allocations, out); });
    write("trace.pb.gz", [&](std::ostream& out) { write_pprof(s.info, all, s.names, out); });
    for (const block_filter filter : {block_filter::peak, block_filter::temporary, block_filter::leaks}) {
        const std::string name = to_string(filter);
        const auto some = exported_stacks(profile, filter, true);
        write((name + ".collapsed").c_str(),
              [&](std::ostream& out) { write_collapsed(s.info, some, s.names, export_weight::bytes, out); });
        write((name + ".pb.gz").c_str(),
              [&](std::ostream& out) { write_pprof(s.info, some, s.names, out, filter); });
    }
    write("stacks.csv", [&](std::ostream& out) { write_stacks(s.info, all, s.names, out); });
    write("events.csv", [&](std::ostream& out) {
        write_event_heading(s.info, out);
        write_events(s.info, s.events, out);
    });
    if (!done) {
        std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
    }
    return done ? 0 : 1;
}
