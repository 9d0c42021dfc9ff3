// SPDX-License-Identifier: Apache-2.0
#include "fills_document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

constexpr std::size_t most_changes = 5; // places whose change is shown

table places_table(const fill_report& report, std::size_t shown) {
    table t{"Places that fill blocks with zeros",
            {{.heading = "type", .is_text = true, .shorten = cut::type, .least = 20},
             {.heading = "place", .is_text = true, .shorten = cut::end, .least = 20},
             {.heading = "fills"},
             {.heading = "bytes"},
             {.heading = "time", .droppable = 2},
             {.heading = "of the run", .droppable = 1}}};
    for (std::size_t i = 0; i != shown; ++i) {
        const filled_place& p = report.places[i];
        const bool is_timed = p.time_ns > 0;
        const std::string place = place_text(p.place);
        t.add({p.label, place.empty() ? "-" : place, figure_of(unit::count, static_cast<double>(p.fills)),
               figure_of(unit::bytes, static_cast<double>(p.bytes)),
               is_timed ? cell{figure_of(unit::nanoseconds, p.time_ns)} : cell{"-"},
               is_timed && report.program_cpu_ns > 0
                   ? cell{figure_of(unit::share, std::min(1.0, p.time_ns / report.program_cpu_ns))}
                   : cell{"-"}},
              p.is_candidate ? emphasis::good : emphasis::none);
    }
    return t;
}

std::string heading_of(const filled_place& p) {
    return fmt::format("{}{}: {}", p.label, at_place(p.place), p.fix);
}

} // namespace

document fills_document(const fill_report& report, std::size_t top) {
    const std::size_t shown = std::min(report.places.size(), top);
    document d;
    d.verb = "linn advise";
    d.title = "linn advise: zeros in new blocks";
    d.heading = "Which zeros are written for nothing?";
    d.lead = report.verdict;
    d.add(places_table(report, shown));
    std::vector<std::string> remarks = report.notes;
    if (report.places.size() > top) {
        remarks.insert(remarks.begin(), fmt::format("and {}; --json has all",
                                                    counted(report.places.size() - top, "more place")));
    }
    d.add(sentences(remarks));
    for (std::size_t i = 0; i != std::min(shown, most_changes); ++i) {
        d.add(subheading{heading_of(report.places[i])});
        d.add(code{report.places[i].change, true});
    }
    return d;
}

} // namespace linn::tool::report
