// SPDX-License-Identifier: Apache-2.0
#include "../../advise/fills.hpp"
#include "../../profile/trace_profile.hpp"
#include "../../trace/info.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

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
        t.add({p.label, place.empty() ? "-" : place, figure_of(unit::count, p.fills),
               figure_of(unit::bytes, p.bytes),
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

ordered_json place_json(const filled_place& row, double program_cpu_ns) {
    return {{"label", row.label},
            {"type", row.type},
            {"container", text_or_null(row.container)},
            {"named_by", to_string(row.named_by)},
            {"place", frame_json(row.place)},
            {"callers", list_json(row.callers, frame_json)},
            {"written_by", row.written_by.empty() ? ordered_json{} : frame_json(row.written_by.front())},
            {"fills", row.fills},
            {"bytes", row.bytes},
            {"time_ns", row.time_ns},
            {"share", program_cpu_ns > 0 ? ordered_json(row.time_ns / program_cpu_ns) : ordered_json{}},
            {"candidate", row.is_candidate},
            {"mend", row.fix},
            {"change", text_or_null(row.change)}};
}

ordered_json places_json(const fill_report& report) {
    return list_json(report.places,
                     [&](const filled_place& row) { return place_json(row, report.program_cpu_ns); });
}

ordered_json fills_json(const fill_report& report, const trace_info& info, const std::string& file) {
    return result_json("linn.fills/1", {{"verdict", report.verdict},
                                        {"file", file},
                                        {"command", info.command},
                                        {"started", info.started},
                                        {"machine", info.machine},
                                        {"ending", text_or_null(info.ending)},
                                        {"smallest_fill", info.smallest_fill},
                                        {"program_cpu_ns", positive_or_null(report.program_cpu_ns)},
                                        {"fills", report.fills},
                                        {"bytes", report.bytes},
                                        {"time_ns", report.time_ns},
                                        {"dropped", info.dropped},
                                        {"places", places_json(report)},
                                        {"notes", report.notes}});
}

} // namespace

document fills_document(const fill_report& report, const trace_info& info, const std::string& file,
                        std::size_t top) {
    const std::size_t shown = std::min(report.places.size(), top);
    document d{.command = "linn advise",
               .subject = "zeros in new blocks",
               .question = "Which zeros are written for nothing?",
               .lead = report.verdict};
    d.add(places_table(report, shown));
    std::vector<std::string> remarks = report.notes;
    if (report.places.size() > top) {
        remarks.insert(remarks.begin(), fmt::format("and {}; --json has all",
                                                    counted(report.places.size() - top, "more place")));
    }
    d.add(list{std::move(remarks)});
    for (std::size_t i = 0; i != std::min(shown, most_changes); ++i) {
        d.add(subheading{heading_of(report.places[i])});
        d.add(code{report.places[i].change, true});
    }
    d.json = [&] { return fills_json(report, info, file); };
    d.data = [&report] {
        return data_of(places_json(report), "label type container fills bytes time_ns share candidate "
                                            "file=place/file line=place/line function=place/function");
    };
    return d;
}

} // namespace linn::tool::report
