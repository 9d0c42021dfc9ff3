// SPDX-License-Identifier: Apache-2.0
#include "../../allocators/allocators.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/ranges.h>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

/// Null where nothing was proven.
ordered_json proof_json(const allocator_entry& entry) {
    if (entry.proof.files.empty()) {
        return {};
    }
    return {{"providers", entry.proof.files}, {"preload_mapped", entry.proof.preload_mapped}};
}

ordered_json entry_json(const allocator_entry& e) {
    return {{"name", e.name},
            {"title", e.title},
            {"version", text_or_null(e.version)},
            {"state", to_string(e.state)},
            {"licence", text_or_null(e.licence)},
            {"library", text_or_null(e.library.string())},
            {"origin", text_or_null(e.origin)},
            {"proven_by", text_or_null(e.proven_by)},
            {"remark", text_or_null(e.remark)},
            {"environment", e.environment},
            {"how_to_get", text_or_null(e.how_to_get)},
            {"proof", proof_json(e)}};
}

bool is_to_get(const allocator_entry& e) {
    return e.state == library_state::missing && !e.how_to_get.empty();
}

table inventory_table(const std::vector<allocator_entry>& entries) {
    table t{"Allocators of this machine",
            {{.heading = "allocator", .is_text = true},
             {.heading = "version", .is_text = true},
             {.heading = "state", .is_text = true},
             {.heading = "licence", .is_text = true, .droppable = 1},
             {.heading = "proven by", .is_text = true, .droppable = 2},
             {.heading = "library", .is_text = true, .droppable = 3, .shorten = cut::front, .most = 200}}};
    for (const allocator_entry& e : entries) {
        t.add({e.name, e.version.empty() ? "-" : e.version, to_string(e.state), e.licence, e.proven_by,
               e.library.string()},
              e.state == library_state::usable ? emphasis::good : emphasis::none);
    }
    return t;
}

/// Remarks on the allocators whose command does not say everything.
list notes_of(const std::vector<allocator_entry>& entries) {
    list notes;
    for (const allocator_entry& e : entries) {
        std::string text = is_to_get(e) ? std::string{} : e.remark;
        if (!is_to_get(e) && !e.environment.empty()) {
            text += fmt::format("{}runs with {}", text.empty() ? "" : "; ", fmt::join(e.environment, ", "));
        }
        if (!text.empty()) {
            notes.lines.push_back(fmt::format("{}: {}", e.name, text));
        }
    }
    return notes;
}

std::string commands_of(const std::vector<allocator_entry>& entries) {
    std::string commands;
    for (const allocator_entry& e : entries) {
        if ((e.state == library_state::missing || e.state == library_state::known_bad) &&
            !e.how_to_get.empty()) {
            commands += e.how_to_get + '\n';
        }
    }
    return commands;
}

ordered_json allocators_json(const std::vector<allocator_entry>& entries) {
    return {{"schema", "linn.allocators/1"},
            {"linn", version_text()},
            {"allocators", list_json(entries, entry_json)}};
}

} // namespace

document allocators_document(const std::vector<allocator_entry>& entries) {
    document d{.command = "linn allocators"};
    d.add(inventory_table(entries));
    d.add(notes_of(entries));
    if (const std::string commands = commands_of(entries); !commands.empty()) {
        d.add(subheading{"To get what is missing:"});
        d.add(code{commands});
    }
    d.json = [&] { return allocators_json(entries); };
    d.data = [&] {
        return data_of(
            list_json(entries, entry_json),
            "name title version state licence library origin proven_by remark environment how_to_get");
    };
    return d;
}

} // namespace linn::tool::report
