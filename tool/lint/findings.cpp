// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include "../measure/sort_stably.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

namespace linn::tool {
namespace {

constexpr std::string_view unit_of_zeros = "of zeros";
constexpr std::string_view for_each = " for each element";

/// The number that ends at `end`, and where it begins.
std::optional<std::pair<std::uint64_t, std::size_t>> number_before(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin != 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
        --begin;
    std::uint64_t value = 0;
    if (const auto read = std::from_chars(text.data() + begin, text.data() + end, value);
        begin == end || read.ec != std::errc{})
        return std::nullopt;
    return std::pair{value, begin};
}

std::string_view trimmed(std::string_view text, std::string_view characters) {
    const std::size_t begin = text.find_first_not_of(characters);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(characters) + 1 - begin);
}

bool ends_with_and_cut(std::string_view& text, std::string_view end) {
    if (!text.ends_with(end))
        return false;
    text.remove_suffix(end.size());
    return true;
}

/// What the notes offer to change; nothing where several do, because they are alternatives.
std::vector<lint_replacement> fix_of_notes(const std::vector<tidy_message>& notes) {
    const tidy_message* only = nullptr;
    for (const tidy_message& note : notes)
        if (!note.fix.empty()) {
            if (only != nullptr)
                return {};
            only = &note;
        }
    return only == nullptr ? std::vector<lint_replacement>{} : only->fix;
}

/// "'data': 64 bytes", also with more behind it.
std::optional<filled_part> read_member(std::string_view note) {
    const std::size_t colon = note.find("': ");
    const std::size_t end = note.find(" byte");
    if (!note.starts_with('\'') || colon == std::string_view::npos || end == std::string_view::npos)
        return std::nullopt;
    const auto number = number_before(note, end);
    if (!number || number->second != colon + 3)
        return std::nullopt;
    return filled_part{std::string{note.substr(1, colon - 1)}, number->first};
}

void explain(lint_finding& f) {
    for (const lint_note& note : f.notes) {
        constexpr std::string_view no_fix = "no fix";
        if (const auto member = read_member(note.text))
            f.members.push_back(*member);
        else if (f.reason.empty() && note.text.starts_with(no_fix))
            f.reason = trimmed(std::string_view{note.text}.substr(no_fix.size()), " :");
    }
}

lint_note note_of(const tidy_message& m, source_texts& texts) {
    return {m.text, m.file, m.file.empty() ? text_place{} : texts.of(m.file).place(m.offset)};
}

} // namespace

std::optional<fill_message> read_fill_message(std::string_view message) {
    for (const std::string_view unit : {" bytes ", " byte "}) {
        const std::string mark = fmt::format("{}{}", unit, unit_of_zeros);
        const std::size_t at = message.find(mark);
        if (at == std::string_view::npos)
            continue;
        const auto number = number_before(message, at);
        if (!number)
            return std::nullopt;
        fill_message m;
        m.bytes = number->first;
        std::string_view before = message.substr(0, number->second);
        if (ends_with_and_cut(before, " would write "))
            m.is_return = true;
        else if (!ends_with_and_cut(before, " writes ") && !ends_with_and_cut(before, " write "))
            return std::nullopt;
        m.what = trimmed(before, "'");
        m.per_element = message.substr(at + mark.size()).starts_with(for_each);
        return m;
    }
    return std::nullopt;
}

fill_kind kind_of(const fill_message& fill) noexcept {
    if (fill.is_return)
        return fill_kind::after_a_change;
    return fill.per_element ? fill_kind::per_element : fill_kind::now;
}

std::string_view to_string(fix_state state) noexcept {
    switch (state) {
    case fix_state::in_note:
        return "in note";
    case fix_state::offered:
        return "offered";
    case fix_state::applied:
        return "applied";
    case fix_state::refused:
        return "refused";
    case fix_state::none:
        break;
    }
    return "none";
}

void finding_collector::add(const std::vector<tidy_diagnostic>& diagnostics, bool is_whole,
                            const filter& wanted) {
    std::set<std::string> seen; // an instantiation each: one unit may report a place more than once
    for (const tidy_diagnostic& d : diagnostics) {
        const std::optional<fill_message> fill =
            d.name.starts_with("linn-") ? read_fill_message(d.message.text) : std::nullopt;
        if (!fill || !wanted(d.message.file))
            continue;
        merge(d, *fill, is_whole);
        const std::string key = fmt::format("{}\n{}\n{}", d.message.file, d.message.offset, d.name);
        if (seen.insert(key).second)
            ++entries_[key].finding.units;
    }
}

void finding_collector::merge(const tidy_diagnostic& d, const fill_message& fill, bool is_whole) {
    std::vector<lint_replacement> note_fix = fix_of_notes(d.notes);
    std::vector<lint_replacement> fix = d.message.fix;
    std::sort(fix.begin(), fix.end());
    std::sort(note_fix.begin(), note_fix.end());

    const auto [place, is_new] =
        entries_.try_emplace(fmt::format("{}\n{}\n{}", d.message.file, d.message.offset, d.name));
    entry& e = place->second;
    lint_finding& f = e.finding;
    e.fix_differs = e.fix_differs || (!is_new && f.fix != fix);
    e.note_fix_differs = e.note_fix_differs || (!is_new && e.note_fix != note_fix);
    e.has_whole_unit = e.has_whole_unit || is_whole;
    const bool is_greater = is_new || fill.bytes > f.fill.bytes;
    const std::string other = is_greater ? f.message : d.message.text;
    if (!is_new && f.message != d.message.text &&
        std::find(f.others.begin(), f.others.end(), other) == f.others.end())
        f.others.push_back(other);
    if (!is_greater)
        return;
    f.others.erase(std::remove(f.others.begin(), f.others.end(), d.message.text), f.others.end());
    f.check = d.name;
    f.file = d.message.file;
    f.offset = d.message.offset;
    f.message = d.message.text;
    f.fill = fill;
    f.fix = std::move(fix);
    e.note_fix = std::move(note_fix);
    e.notes = d.notes;
}

std::vector<lint_finding> finding_collector::take(source_texts& texts) {
    std::vector<lint_finding> list;
    for (auto& [key, e] : entries_) {
        lint_finding& f = e.finding;
        const source_text& text = texts.of(f.file);
        f.place = text.place(f.offset);
        f.source_line = text.line(f.place.line);
        for (const tidy_message& note : e.notes)
            f.notes.push_back(note_of(note, texts));
        explain(f);
        const bool has_fix = e.has_whole_unit && !e.fix_differs && !f.fix.empty();
        const bool has_note_fix = e.has_whole_unit && !e.note_fix_differs && !e.note_fix.empty();
        if (!has_fix)
            f.fix = has_note_fix ? std::move(e.note_fix) : std::vector<lint_replacement>{};
        f.state = has_fix ? fix_state::offered : has_note_fix ? fix_state::in_note : fix_state::none;
        list.push_back(std::move(f));
    }
    entries_.clear();
    sort_stably(list, [](const lint_finding& a, const lint_finding& b) {
        const auto rank = [](const lint_finding& f) { return std::tuple{kind_of(f.fill), ~f.fill.bytes}; };
        return rank(a) < rank(b) ||
               (rank(a) == rank(b) && std::tie(a.file, a.offset) < std::tie(b.file, b.offset));
    });
    return list;
}

} // namespace linn::tool
