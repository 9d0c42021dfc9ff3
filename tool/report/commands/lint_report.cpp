// SPDX-License-Identifier: Apache-2.0
#include "../../lint/lint.hpp"
#include "../../measure/process.hpp"
#include "../../measure/words.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json place_json(const std::string& file, const text_place& place) {
    return {{"file", file},
            {"line", known_or_null(place.line != 0, place.line)},
            {"column", known_or_null(place.line != 0, place.column)}};
}

ordered_json note_json(const tidy_message& note) {
    ordered_json json{{"message", note.text}};
    if (!note.file.empty()) {
        json.update(place_json(note.file, note.place));
    }
    return json;
}

ordered_json finding_json(const lint_result& r, const lint_finding& f) {
    ordered_json json{{"check", f.check},
                      {"bytes", f.fill.bytes},
                      {"per_element", f.fill.per_element},
                      {"class", to_string(f.fill.certainty)}};
    json.update(place_json(f.file, f.place));
    json["offset"] = f.offset;
    json["path"] =
        lies_in(f.file, r.root) ? std::filesystem::path{f.file}.lexically_relative(r.root).string() : f.file;
    json["source"] = f.source_line;
    json["what"] = f.fill.what;
    json["members"] = list_json(f.fill.members, [](const filled_part& member) {
        return ordered_json{{"name", member.name}, {"bytes", member.bytes}};
    });
    json["message"] = f.message;
    json["notes"] = list_json(f.notes, note_json);
    json["units"] = f.units;
    json["fix"] = {{"state", to_string(f.state)},
                   {"reason", f.state == fix_state::refused ? f.refusal : f.fill.reason}};
    json["fix"]["replacements"] = list_json(f.fix, [](const lint_replacement& x) {
        return ordered_json{{"file", x.file}, {"offset", x.offset}, {"length", x.length}, {"text", x.text}};
    });
    return json;
}

namespace fs = std::filesystem;

/// Sizes of structures are told to the byte; only what is larger is rounded.
cell bytes_cell(std::uint64_t bytes, std::string after = {}) {
    quantity q = figure_of(unit::bytes, bytes);
    q.digits = 4;
    if (bytes >= figures::least_rounded_bytes) {
        return {"", q, std::move(after)};
    }
    q.what = unit::count;
    return {"", q, " B" + after};
}

std::string bytes_text(std::uint64_t bytes) {
    return bytes_cell(bytes).words(lettering::plain);
}

/// "src/cache.cpp:110:22", from the current folder where the file lies below it.
std::string place_text(const std::string& file, const text_place& place) {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const std::string name = lies_in(file, here) ? fs::path{file}.lexically_relative(here).string() : file;
    return place.line == 0 ? name : fmt::format("{}:{}:{}", name, place.line, place.column);
}

/// "data 8.000 MiB, key 32 B".
std::string members_text(const lint_finding& finding) {
    std::vector<std::string> members;
    for (const filled_part& member : finding.fill.members) {
        members.push_back(fmt::format("{} {}", member.name, bytes_text(member.bytes)));
    }
    return fmt::format("{}", fmt::join(members, ", "));
}

/// What stands above the places of a kind.
const char* heading_of(fill_kind kind) {
    return word_of(kind,
                   {"", "for each element of an array whose length is known at run time only:",
                    "maybe relied upon, by functions that are not seen here:", "cold: small, and run once:"});
}

const char* fix_text(fix_state state) {
    return word_of(state, {"no", "note", "yes", "fixed", "refused"});
}

table places_table(const lint_result& r, std::size_t top) {
    table t{"Places that write zeros for nothing",
            {{.heading = "bytes"},
             {.heading = "place", .is_text = true, .shorten = cut::front, .least = 36, .most = 80},
             {.heading = "what", .is_text = true, .shorten = cut::end, .least = 20, .most = 80},
             {.heading = "fix", .is_text = true}}};
    fill_kind kind = fill_kind::now;
    std::size_t in_text = 0; // with the headings
    for (std::size_t i = 0; i != r.findings.size(); ++i) {
        const lint_finding& f = r.findings[i];
        if (i == top) {
            in_text = t.rows.size();
        }
        if (kind_of(f.fill) != kind) {
            t.add_heading(heading_of(kind = kind_of(f.fill)));
        }
        list notes;
        for (const tidy_message& note : f.notes) {
            notes.lines.push_back(fmt::format("{}: {}", place_text(note.file, note.place), note.text));
        }
        t.add({bytes_cell(f.fill.bytes, f.fill.per_element ? " each" : ""), place_text(f.file, f.place),
               f.fill.what, fix_text(f.state)})
            .detail.emplace_back(std::move(notes));
    }
    if (in_text != 0) {
        t.cut(in_text, in_text + r.findings.size() - top, "places");
    }
    return t;
}

/// What a reader has to know besides the places: fixes to be had, what was left out.
std::vector<std::string> remarks_of(const lint_result& r) {
    std::vector<std::string> lines;
    const auto add = [&](std::size_t n, const char* thing, std::string_view words) {
        if (n != 0) {
            lines.push_back(fmt::format(fmt::runtime(words), counted(n, thing)));
        }
    };
    const auto in_state = [&](fix_state state) {
        return static_cast<std::size_t>(
            std::ranges::count_if(r.findings, [=](const lint_finding& f) { return f.state == state; }));
    };
    add(in_state(fix_state::applied), "place", "{} fixed; compile and test before you commit");
    add(in_state(fix_state::in_note), "place",
        "--fix-notes changes {}, whose callers may rely on the zeros: look at each");
    for (const lint_finding& f : r.findings) {
        if (f.state == fix_state::refused) {
            lines.push_back(fmt::format("not fixed: {}: {}", place_text(f.file, f.place), f.refusal));
        }
    }
    add(r.chosen.compiled_again, "compilation",
        "left out: {} more of files that are compiled in several ways");
    add(r.chosen.not_cxx, "file", "left out: {} in another language than C++");
    add(r.chosen.excluded, "file",
        r.options.scope.exclude
            ? "left out: {} that --exclude names"
            : "left out: {} of the build folder or of third parties; --exclude '' checks them");
    lines.insert(lines.end(), r.chosen.remarks.begin(), r.chosen.remarks.end());
    return lines;
}

/// "11 places write 8.000 MiB of zeros for nothing, 3 more would write them after a change": the first sentence of every
/// report, without its full stop.
std::string lint_headline(const lint_result& r) {
    const std::size_t now = r.count(fill_kind::now);
    const std::size_t each = r.count(fill_kind::per_element);
    const std::size_t maybe = r.count(fill_kind::relied_upon);
    if (now + each == 0) {
        if (r.checked == 0 && r.units != 0) {
            return "Nothing was found, because no file could be checked";
        }
        return maybe == 0 ? "No place writes zeros for nothing"
                          : fmt::format("No place writes zeros for nothing for certain, {} may", maybe);
    }
    std::string text;
    if (now != 0) {
        text = fmt::format("{} {} {} of zeros for nothing", counted(now, "place"),
                           agreeing(now, "writes", "write"), bytes_text(r.bytes()));
    }
    if (each != 0) {
        text += now == 0 ? fmt::format("{} {} arrays with zeros for nothing", counted(each, "place"),
                                       agreeing(each, "fills", "fill"))
                         : fmt::format(", {} more {} arrays whose length is not known here", each,
                                       agreeing(each, "fills", "fill"));
    }
    return fmt::format("{}; --fix can change {} of them", text,
                       r.with_fix() == 0 ? "none" : std::to_string(r.with_fix()));
}

ordered_json lint_json(const lint_result& r) {
    ordered_json json{{"started", r.started},
                      {"complete", r.signal == 0},
                      {"stopped_by", r.signal == 0 ? ordered_json{} : ordered_json(signal_name(r.signal))},
                      {"headline", lint_headline(r)},
                      {"database", r.database},
                      {"project", r.root.string()},
                      {"clang_tidy", r.program.path},
                      {"clang_tidy_version", r.program.version},
                      {"plugin", r.program.plugin},
                      {"min_bytes", r.options.checks.min_bytes}};
    json["units"] = {{"chosen", r.units},
                     {"checked", r.checked},
                     {"failed", r.failed.size()},
                     {"not_run", r.not_run},
                     {"excluded", r.chosen.excluded},
                     {"not_cxx", r.chosen.not_cxx},
                     {"compiled_again", r.chosen.compiled_again}};
    json["clang_tidy_seconds"] = r.seconds;
    json["places"] = r.count(fill_kind::now);
    json["bytes"] = r.bytes();
    json["places_per_element"] = r.count(fill_kind::per_element);
    json["places_relied_upon"] = r.count(fill_kind::relied_upon);
    json["places_cold"] = r.count(fill_kind::cold);
    json["places_with_fix"] = r.with_fix();
    json["findings"] = list_json(r.findings, [&](const lint_finding& f) { return finding_json(r, f); });
    json["failed_files"] = list_json(
        r.failed, [](const failed_file& f) { return ordered_json{{"file", f.file}, {"reason", f.reason}}; });
    json["remarks"] = r.chosen.remarks;
    return result_json("linn.lint/2", json);
}

} // namespace

document lint_document(const lint_result& r, std::size_t top) {
    constexpr std::size_t most_failures = 10;
    const std::string project = (r.root / "").parent_path().filename().string();
    document d{.command = "linn lint",
               .subject = project,
               .question = fmt::format("Where does {} write zeros for nothing?",
                                       project.empty() ? "the project" : project),
               .started = r.started,
               .lead = lint_headline(r) + '.'};
    if (r.signal != 0) {
        d.alert = fmt::format("partial: stopped by {}: {} not checked", signal_name(r.signal),
                              counted(r.not_run, "file"));
    }
    d.add(paragraph{fmt::format("{} checked by clang-tidy {}, for places of {} and more{}.",
                                counted(r.checked, "file"), r.program.version,
                                counted(r.options.checks.min_bytes, "byte"),
                                r.failed.empty() ? ""
                                                 : fmt::format("; {} could not be checked wholly",
                                                               counted(r.failed.size(), "file")))});
    d.add(places_table(r, top));
    if (!r.failed.empty()) {
        list failures{{}, "Could not be checked wholly:", top == 0 ? r.failed.size() : most_failures};
        for (const failed_file& f : r.failed) {
            failures.lines.push_back(fmt::format("{}: {}", place_text(f.file, {}), f.reason));
        }
        d.add(std::move(failures));
    }
    d.add(list{remarks_of(r)});
    d.json = [&] { return lint_json(r); };
    d.data = [&] {
        ordered_json lines = ordered_json::array();
        for (const lint_finding& f : r.findings) {
            ordered_json line = finding_json(r, f);
            line.update({{"line", f.place.line},
                         {"column", f.place.column},
                         {"members", members_text(f)},
                         {"fix", to_string(f.state)},
                         {"complete", r.signal == 0},
                         {"started", r.started},
                         {"version", version_text()}});
            lines.push_back(std::move(line));
        }
        return data_of(lines, "check bytes per_element file line column what members message fix units "
                              "complete started version class");
    };
    return d;
}

} // namespace linn::tool::report
