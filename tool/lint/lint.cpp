// SPDX-License-Identifier: Apache-2.0
#include "lint.hpp"

#include "../measure/machine.hpp"
#include "../measure/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace linn::tool {
namespace {

/// What a plugin writes into "linn_finding", see tool/lint/plugin/checks.cpp.
constexpr int facts_version = 3;

constexpr std::array classes{fill_class::removable, fill_class::relied_upon, fill_class::cold};

/// What the notes offer to change; nothing where several do, because they are alternatives.
std::vector<lint_replacement> fix_of_notes(const std::vector<tidy_message>& notes) {
    const auto has_fix = [](const tidy_message& note) { return !note.fix.empty(); };
    return std::ranges::count_if(notes, has_fix) == 1 ? std::ranges::find_if(notes, has_fix)->fix
                                                      : std::vector<lint_replacement>{};
}

/// Takes the facts out of the notes. @throws unusable_input
fill_facts take_facts(tidy_diagnostic& d) {
    for (auto note = d.notes.begin(); note != d.notes.end(); ++note) {
        if (auto facts = read_fill_facts(note->text)) {
            d.notes.erase(note);
            return std::move(*facts);
        }
    }
    throw unusable_input{
        "the plugin belongs to another version of linn: its findings carry no facts that this version "
        "reads. Build Linn again, or name the plugin that was built with this linn by --plugin."};
}

namespace fs = std::filesystem;

/// True when the two overlap or touch, so that they cannot both be made in one go.
bool conflict(const lint_replacement& a, const lint_replacement& b) {
    return a != b && a.offset <= b.offset + b.length && b.offset <= a.offset + a.length;
}

using replacements = std::set<lint_replacement>; // in the order of their offsets

/// Adds a finding's fix to those of its file. @returns why it cannot be made; empty when it can
std::string take(const lint_finding& f, const std::string& text, fs::file_time_type read_at,
                 replacements& made) {
    std::error_code error;
    if (const auto changed = fs::last_write_time(f.file, error); error || changed > read_at) {
        return "the file was changed while it was checked";
    }
    for (const lint_replacement& r : f.fix) {
        if (r.file != f.file) {
            return "it would change another file";
        }
        if (r.offset > text.size() || r.length > text.size() - r.offset) {
            return "it does not fit the file";
        }
        if (std::ranges::any_of(made, [&](const auto& other) { return conflict(other, r); })) {
            return "it overlaps with another fix; run again";
        }
    }
    made.insert(f.fix.begin(), f.fix.end());
    return {};
}

} // namespace

std::optional<fill_facts> read_fill_facts(std::string_view note) {
    using nlohmann::json;
    const json facts = json::parse(note, nullptr, false);
    if (!facts.is_object() || facts.value("linn_finding", json{}) != facts_version) {
        return std::nullopt;
    }
    try {
        fill_facts f;
        facts.at("what").get_to(f.what);
        facts.at("bytes").get_to(f.bytes);
        facts.at("per_element").get_to(f.per_element);
        facts.at("reason").get_to(f.reason);
        const auto certainty = facts.at("class").get<std::string>();
        const auto* const known =
            std::ranges::find(classes, certainty, [](fill_class c) { return to_string(c); });
        if (known == classes.end()) {
            return std::nullopt;
        }
        f.certainty = *known;
        for (const json& member : facts.at("members")) {
            f.members.push_back(
                {member.at("name").get<std::string>(), member.at("bytes").get<std::uint64_t>()});
        }
        return f;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

fill_kind kind_of(const fill_facts& fill) noexcept {
    if (fill.certainty == fill_class::relied_upon) {
        return fill_kind::relied_upon;
    }
    if (fill.certainty == fill_class::cold) {
        return fill_kind::cold;
    }
    return fill.per_element ? fill_kind::per_element : fill_kind::now;
}

bool is_certain(fill_kind kind) noexcept {
    return kind != fill_kind::relied_upon && kind != fill_kind::cold;
}

std::string_view to_string(fill_class certainty) noexcept {
    return word_of(certainty, {"relied upon", "removable", "cold"});
}

std::string_view to_string(fix_state state) noexcept {
    return word_of(state, {"none", "in note", "offered", "applied", "refused"});
}

void finding_collector::add(std::vector<tidy_diagnostic> diagnostics, bool is_whole, const filter& wanted) {
    std::set<const entry*> seen; // an instantiation each: one unit may report a place more than once
    for (tidy_diagnostic& d : diagnostics) {
        if (!d.name.starts_with("linn-") || !wanted(d.message.file)) {
            continue;
        }
        fill_facts fill = take_facts(d);
        const auto [place, is_new] =
            entries_.try_emplace(fmt::format("{}\n{}\n{}", d.message.file, d.message.offset, d.name));
        entry& e = place->second;
        e.has_whole_unit = e.has_whole_unit || is_whole;
        e.finding.units += seen.insert(&e).second ? 1U : 0U;
        merge(e, is_new, std::move(d), std::move(fill));
    }
}

void finding_collector::merge(entry& e, bool is_new, tidy_diagnostic d, fill_facts fill) {
    std::vector<lint_replacement> note_fix = fix_of_notes(d.notes);
    std::sort(d.message.fix.begin(), d.message.fix.end());
    std::sort(note_fix.begin(), note_fix.end());
    lint_finding& f = e.finding;
    e.fix_differs = e.fix_differs || (!is_new && f.fix != d.message.fix);
    e.note_fix_differs = e.note_fix_differs || (!is_new && e.note_fix != note_fix);
    fill.certainty = is_new ? fill.certainty : std::min(fill.certainty, f.fill.certainty);
    f.fill.certainty = fill.certainty;
    const bool is_greater = is_new || fill.bytes > f.fill.bytes;
    if (!is_greater) {
        return;
    }
    f.check = std::move(d.name);
    f.file = std::move(d.message.file);
    f.offset = d.message.offset;
    f.message = std::move(d.message.text);
    f.fill = std::move(fill);
    f.fix = std::move(d.message.fix);
    e.note_fix = std::move(note_fix);
    f.notes = std::move(d.notes);
}

std::vector<lint_finding> finding_collector::take(source_texts& texts) {
    std::vector<lint_finding> list;
    for (auto& [key, e] : entries_) {
        lint_finding& f = e.finding;
        f.place = texts.place(f.file, f.offset);
        f.source_line = texts.line(f.file, f.offset);
        for (tidy_message& note : f.notes) {
            note.place = texts.place(note.file, note.offset);
        }
        const bool has_fix = e.has_whole_unit && !e.fix_differs && !f.fix.empty();
        const bool has_note_fix = e.has_whole_unit && !e.note_fix_differs && !e.note_fix.empty();
        if (!has_fix) {
            f.fix = has_note_fix ? std::move(e.note_fix) : std::vector<lint_replacement>{};
        }
        f.state = has_fix ? fix_state::offered : has_note_fix ? fix_state::in_note : fix_state::none;
        list.push_back(std::move(f));
    }
    entries_.clear();
    std::ranges::stable_sort(list, [](const lint_finding& a, const lint_finding& b) {
        const auto rank = [](const lint_finding& f) { return std::tuple{kind_of(f.fill), ~f.fill.bytes}; };
        return rank(a) < rank(b) ||
               (rank(a) == rank(b) && std::tie(a.file, a.offset) < std::tie(b.file, b.offset));
    });
    return list;
}

std::map<std::string, std::string> apply_fixes(std::vector<lint_finding>& findings, source_texts& texts,
                                               bool with_notes, fs::file_time_type read_at) {
    std::map<std::string, replacements> made;
    for (lint_finding& f : findings) {
        if (f.state == fix_state::offered || (with_notes && f.state == fix_state::in_note)) {
            f.refusal = take(f, texts.of(f.file), read_at, made[f.file]);
            f.state = f.refusal.empty() ? fix_state::applied : fix_state::refused;
        }
    }
    std::erase_if(made, [](const auto& one) { return one.second.empty(); });
    std::map<std::string, std::string> changed;
    for (const auto& [file, all] : made) {
        std::string text = texts.of(file);
        for (auto r = all.rbegin(); r != all.rend(); ++r) { // from the end, so that offsets stay right
            text.replace(r->offset, r->length, r->text);
        }
        changed.emplace(file, std::move(text));
    }
    return changed;
}

void refuse_fixes_of(std::vector<lint_finding>& findings, const std::string& file,
                     const std::string& reason) {
    for (lint_finding& f : findings) {
        if (f.file == file && f.state == fix_state::applied) {
            f.state = fix_state::refused;
            f.refusal = reason;
        }
    }
}

std::uint64_t lint_result::bytes() const {
    std::uint64_t sum = 0;
    for (const lint_finding& f : findings) {
        if (kind_of(f.fill) == fill_kind::now) {
            sum += f.fill.bytes;
        }
    }
    return sum;
}

std::size_t lint_result::count(fill_kind kind) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(findings, [=](const lint_finding& f) { return kind_of(f.fill) == kind; }));
}

std::size_t lint_result::with_fix() const {
    return static_cast<std::size_t>(std::ranges::count_if(findings, [](const lint_finding& f) {
        return is_certain(kind_of(f.fill)) &&
               (f.state == fix_state::offered || f.state == fix_state::applied);
    }));
}

std::size_t lint_result::left(std::uint64_t least) const {
    return static_cast<std::size_t>(std::ranges::count_if(findings, [=](const lint_finding& f) {
        return f.state != fix_state::applied && is_certain(kind_of(f.fill)) &&
               (f.fill.per_element || f.fill.bytes >= least);
    }));
}

lint_result lint(const lint_options& options, const interrupt_guard& guard,
                 const std::function<void(const work_progress&)>& on_progress) {
    lint_result result;
    result.options = options;
    result.started = time_stamp();
    result.read_at = std::filesystem::file_time_type::clock::now();

    const compile_database database = read_compile_database(find_compile_database(options.build));
    const project the_project{database, options.scope};
    result.chosen = select_units(database, the_project, options.files);
    const lint_selection& selection = result.chosen;
    result.database = database.path.string();
    result.root = the_project.root();
    result.units = selection.units.size() + selection.gone.size();
    for (const std::string& file : selection.gone) {
        result.failed.push_back(
            {file, fmt::format("there is no such file; {} is older than the sources", result.database)});
    }

    result.program = find_tidy_program(options.tidy, guard);
    std::vector<unit_outcome> outcomes =
        run_tidy(result.program, selection.units, options.checks, options.jobs, guard, on_progress);
    finding_collector collector;
    for (std::size_t i = 0; i != outcomes.size(); ++i) {
        unit_outcome& o = outcomes[i];
        result.seconds += o.seconds;
        result.not_run += o.was_run ? 0U : 1U;
        result.checked += o.was_run && o.failure.empty() ? 1U : 0U;
        if (failed_file f{selection.units[i].file, o.failure};
            !f.reason.empty() && std::ranges::count(result.failed, f) == 0) {
            result.failed.push_back(std::move(f));
        }
        const lint_unit& unit = selection.units[i];
        collector.add(std::move(o.diagnostics), o.failure.empty(), [&](const std::string& file) {
            return std::ranges::count(selection.headers, file) != 0 ||
                   (unit.is_whole && (file == unit.file || the_project.reports_header(file)));
        });
    }
    result.findings = collector.take(result.texts);
    result.signal = interrupt_guard::pending();
    return result;
}

} // namespace linn::tool
