// SPDX-License-Identifier: Apache-2.0
#include "../version.hpp"
#include "lint_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <set>
#include <string_view>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

/// From here on a place is a warning, below a note: such a fill costs more than the allocation.
constexpr std::uint64_t warning_from = 1024;

struct rule {
    std::string_view id;
    std::string_view name;
    std::string_view brief;
    std::string_view full;
    std::string_view help;
};

constexpr std::array<rule, 2> rules{
    {{"linn-zero-fill", "ZeroFill", "Value-initialisation writes zeros that nothing asked for.",
      "std::make_shared<T>(), std::make_unique<T>() and new T() fill a class that has no constructor of its "
      "own with "
      "zeros first, also the members that default-initialisation leaves alone.",
      "Use make_shared_for_overwrite, make_unique_for_overwrite or new T without parentheses where the "
      "members are "
      "written before they are read. Where the zeros are wanted, say so with // NOLINT(linn-zero-fill)."},
     {"linn-overwritten-fill", "OverwrittenFill", "A container or array is filled and then overwritten.",
      "std::vector<T>(n), resize(n), std::string(n, c) and arrays with `= {}` write all their elements. Here "
      "all of "
      "them are written again before anything reads one.",
      "Drop the initialiser of an array; for a vector use linn::default_init_allocator or "
      "make_unique_for_overwrite, for a string resize_and_overwrite. Where the fill is wanted, say so with "
      "// NOLINT(linn-overwritten-fill)."}}};

/// A path as a URI reference, RFC 3986: everything but unreserved characters and slashes is escaped.
std::string uri_of(std::string_view path) {
    std::string out;
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view{"/-._~"}.find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

/// 64 bits that depend on the text alone. @source FNV-1a, Fowler, Noll, Vo
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

class sarif_writer {
public:
    explicit sarif_writer(lint_result& r) : r_{r} {}

    std::string text() {
        ordered_json run;
        run["tool"]["driver"] = driver();
        run["invocations"] = ordered_json::array({invocation()});
        run["originalUriBaseIds"]["PROJECT"]["uri"] = "file://" + uri_of(r_.root.string()) + '/';
        run["columnKind"] = "unicodeCodePoints";
        run["results"] = ordered_json::array();
        for (const lint_finding& f : r_.findings) {
            run["results"].push_back(result(f));
        }
        const ordered_json all{
            {"$schema",
             "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", ordered_json::array({std::move(run)})}};
        return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
    }

private:
    static ordered_json text_json(std::string_view text) { return {{"text", text}}; }

    static ordered_json driver() {
        ordered_json d{
            {"name", "linn lint"}, {"version", version_text()}, {"semanticVersion", version_text()}};
        d["rules"] = ordered_json::array();
        for (const rule& x : rules) {
            d["rules"].push_back({{"id", x.id},
                                  {"name", x.name},
                                  {"shortDescription", text_json(x.brief)},
                                  {"fullDescription", text_json(x.full)},
                                  {"help", text_json(x.help)},
                                  {"defaultConfiguration", {{"level", "warning"}}},
                                  {"properties", {{"tags", {"performance", "memory"}}}}});
        }
        return d;
    }

    ordered_json artifact(const std::string& file) const {
        if (!lies_in(file, r_.root)) {
            return {{"uri", "file://" + uri_of(file)}};
        }
        return {{"uri", uri_of(std::filesystem::path{file}.lexically_relative(r_.root).string())},
                {"uriBaseId", "PROJECT"}};
    }

    ordered_json location(const std::string& file, const text_place& place) const {
        ordered_json physical{{"artifactLocation", artifact(file)}};
        if (place.line != 0) {
            physical["region"] = {{"startLine", place.line}, {"startColumn", place.character}};
        }
        return {{"physicalLocation", std::move(physical)}};
    }

    /// What failed. A file that could not be checked does not make the run a failed one: the rest stands.
    ordered_json invocation() const {
        ordered_json i{{"executionSuccessful", r_.signal == 0 && (r_.units == 0 || r_.checked != 0)},
                       {"startTimeUtc", r_.started}};
        i["toolExecutionNotifications"] = ordered_json::array();
        for (const failed_file& f : r_.failed) {
            i["toolExecutionNotifications"].push_back(
                {{"level", "error"},
                 {"message", text_json(f.reason)},
                 {"locations", ordered_json::array({location(f.file, {})})}});
        }
        return i;
    }

    ordered_json result(const lint_finding& f) {
        ordered_json x;
        x["ruleId"] = f.check;
        for (std::size_t i = 0; i != rules.size(); ++i) {
            if (rules[i].id == f.check) {
                x["ruleIndex"] = i;
            }
        }
        x["level"] = f.fill.bytes >= warning_from ? "warning" : "note";
        x["message"] = text_json(f.message);
        x["locations"] = ordered_json::array({location(f.file, f.place)});
        ordered_json related = ordered_json::array();
        for (const lint_note& note : f.notes) {
            if (!note.file.empty()) {
                ordered_json place = location(note.file, note.place);
                place["message"] = text_json(note.text);
                related.push_back(std::move(place));
            }
        }
        if (!related.empty()) {
            x["relatedLocations"] = std::move(related);
        }
        x["partialFingerprints"] = {{"linnLint/v1", fingerprint(f)}};
        if (f.state == fix_state::offered || f.state == fix_state::in_note || f.state == fix_state::refused) {
            x["fixes"] = ordered_json::array({fix(f)});
        }
        x["properties"] = {{"bytes", f.fill.bytes}, {"perElement", f.fill.per_element}};
        return x;
    }

    /// Stays when lines above come and go: the check, the file, the text of the line, and the how-manieth of its kind.
    std::string fingerprint(const lint_finding& f) {
        const std::size_t begin = std::min(f.source_line.find_first_not_of(" \t"), f.source_line.size());
        const std::string key = fmt::format("{}\n{}\n{}", f.check, artifact(f.file)["uri"].get<std::string>(),
                                            f.source_line.substr(begin));
        return fmt::format("{:016x}:{}", hash_of(key), ++seen_[key]);
    }

    ordered_json fix(const lint_finding& f) {
        std::map<std::string, ordered_json> by_file;
        for (const lint_replacement& x : f.fix) {
            const source_text& text = r_.texts.of(x.file);
            const text_place begin = text.place(x.offset);
            const text_place end = text.place(x.offset + x.length);
            by_file[x.file].push_back({{"deletedRegion",
                                        {{"startLine", begin.line},
                                         {"startColumn", begin.character},
                                         {"endLine", end.line},
                                         {"endColumn", end.character}}},
                                       {"insertedContent", text_json(x.text)}});
        }
        ordered_json changes = ordered_json::array();
        for (auto& [file, replacements] : by_file) {
            changes.push_back(
                {{"artifactLocation", artifact(file)}, {"replacements", std::move(replacements)}});
        }
        return {{"description", text_json("Leave the members alone")},
                {"artifactChanges", std::move(changes)}};
    }

    lint_result& r_;
    std::map<std::string, unsigned> seen_;
};

} // namespace

std::string lint_sarif(lint_result& result) {
    return sarif_writer{result}.text();
}

} // namespace linn::tool::report
