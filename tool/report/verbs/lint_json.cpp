// SPDX-License-Identifier: Apache-2.0
#include "lint_json.hpp"

#include "../../measure/process.hpp"
#include "../version.hpp"
#include "lint_document.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json place_json(const std::string& file, const text_place& place) {
    return {{"file", file},
            {"line", place.line == 0 ? ordered_json{} : ordered_json(place.line)},
            {"column", place.line == 0 ? ordered_json{} : ordered_json(place.column)}};
}

ordered_json note_json(const lint_note& note) {
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
    json["members"] = ordered_json::array();
    for (const filled_part& member : f.fill.members) {
        json["members"].push_back({{"name", member.name}, {"bytes", member.bytes}});
    }
    json["message"] = f.message;
    json["other_messages"] = f.others;
    json["notes"] = ordered_json::array();
    for (const lint_note& note : f.notes) {
        json["notes"].push_back(note_json(note));
    }
    json["units"] = f.units;
    json["fix"] = {{"state", to_string(f.state)},
                   {"reason", f.state == fix_state::refused ? f.refusal : f.fill.reason}};
    json["fix"]["replacements"] = ordered_json::array();
    for (const lint_replacement& x : f.fix) {
        json["fix"]["replacements"].push_back(
            {{"file", x.file}, {"offset", x.offset}, {"length", x.length}, {"text", x.text}});
    }
    return json;
}

} // namespace

std::string lint_json(const lint_result& r) {
    ordered_json json{{"schema", "linn.lint/2"},
                      {"version", version_text()},
                      {"started", r.started},
                      {"complete", r.signal == 0},
                      {"stopped_by", r.signal == 0 ? ordered_json{} : ordered_json(signal_name(r.signal))},
                      {"headline", report::lint_headline(r)},
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
                     {"excluded", r.excluded},
                     {"not_cxx", r.not_cxx},
                     {"compiled_again", r.compiled_again}};
    json["clang_tidy_seconds"] = r.seconds;
    json["places"] = r.count(fill_kind::now);
    json["bytes"] = r.bytes();
    json["places_per_element"] = r.count(fill_kind::per_element);
    json["places_relied_upon"] = r.count(fill_kind::relied_upon);
    json["places_cold"] = r.count(fill_kind::cold);
    json["places_with_fix"] = r.with_fix();
    json["findings"] = ordered_json::array();
    for (const lint_finding& f : r.findings) {
        json["findings"].push_back(finding_json(r, f));
    }
    json["failed_files"] = ordered_json::array();
    for (const failed_file& f : r.failed) {
        json["failed_files"].push_back({{"file", f.file}, {"reason", f.reason}});
    }
    json["remarks"] = r.remarks;
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
