// SPDX-License-Identifier: Apache-2.0
#include "lint_cells.hpp"

#include "../measure/process.hpp"
#include "quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

std::string bytes_text(std::uint64_t bytes) {
    return bytes < 10'000 ? fmt::format("{} B", bytes) : quantity_text(static_cast<double>(bytes), "bytes");
}

std::size_t count_state(const lint_result& r, fix_state state) {
    return static_cast<std::size_t>(std::count_if(r.findings.begin(), r.findings.end(),
                                                  [=](const lint_finding& f) { return f.state == state; }));
}

} // namespace

std::string count_text(std::size_t n, const char* thing) {
    return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return text;
}

std::string fill_text(const fill_facts& fill) {
    return bytes_text(fill.bytes) + (fill.per_element ? " each" : "");
}

std::string members_text(const lint_finding& finding) {
    std::string text;
    for (const filled_part& member : finding.fill.members)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", member.name, bytes_text(member.bytes));
    return text;
}

std::string place_text(const std::string& file, const text_place& place) {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const std::string name = lies_in(file, here) ? fs::path{file}.lexically_relative(here).string() : file;
    return place.line == 0 ? name : fmt::format("{}:{}:{}", name, place.line, place.column);
}

std::string heading_of(fill_kind kind) {
    switch (kind) {
    case fill_kind::per_element:
        return "for each element of an array whose length is known at run time only:";
    case fill_kind::after_a_change:
        return "not filled now, and would be after a change:";
    case fill_kind::now:
        break;
    }
    return {};
}

std::string fix_text(const lint_finding& finding) {
    switch (finding.state) {
    case fix_state::offered:
        return "yes";
    case fix_state::in_note:
        return "note";
    case fix_state::applied:
        return "fixed";
    case fix_state::refused:
        return "refused";
    case fix_state::none:
        break;
    }
    return "no";
}

std::string lint_headline(const lint_result& r) {
    const std::size_t now = r.count(fill_kind::now);
    const std::size_t each = r.count(fill_kind::per_element);
    const std::size_t later = r.count(fill_kind::after_a_change);
    if (now + each + later == 0)
        return r.checked == 0 && r.units != 0 ? "Nothing was found, because no file could be checked"
                                              : "No place writes zeros for nothing";
    std::vector<std::string> parts;
    const auto add = [&](std::size_t n, std::string_view verb, std::string_view what) {
        if (n != 0)
            parts.push_back(fmt::format(
                "{} {} {}", parts.empty() ? count_text(n, "place") : fmt::format("{} more", n), verb, what));
    };
    add(now, now == 1 ? "writes" : "write", bytes_text(r.bytes()) + " of zeros for nothing");
    add(each, each == 1 ? "fills" : "fill",
        parts.empty() ? "arrays with zeros for nothing" : "arrays whose length is not known here");
    add(later, "would write", parts.empty() ? "zeros for nothing after a change" : "them after a change");
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string lint_scope(const lint_result& r) {
    std::string text =
        fmt::format("{} checked by clang-tidy {}, for places of {} bytes and more",
                    count_text(r.checked, "file"), r.program.version, r.options.checks.min_bytes);
    if (!r.failed.empty())
        text += fmt::format("; {} could not be checked wholly", count_text(r.failed.size(), "file"));
    return text;
}

std::vector<std::string> lint_remarks(const lint_result& r, std::size_t top) {
    std::vector<std::string> lines;
    const auto add = [&](std::string text) { lines.push_back(std::move(text)); };
    if (top != 0 && r.findings.size() > top)
        add(fmt::format("{} more; --top 0 shows all", count_text(r.findings.size() - top, "place")));
    if (const std::size_t n = count_state(r, fix_state::applied); n != 0)
        add(fmt::format("{} fixed; compile and test before you commit", count_text(n, "place")));
    if (const std::size_t n = count_state(r, fix_state::offered); n != 0)
        add(fmt::format("--fix changes {}, where nothing reads the zeros", count_text(n, "place")));
    if (const std::size_t n = count_state(r, fix_state::in_note); n != 0)
        add(fmt::format("--fix-notes changes {} more, whose callers may rely on the zeros: look at each",
                        count_text(n, "place")));
    for (const lint_finding& f : r.findings)
        if (f.state == fix_state::refused)
            add(fmt::format("not fixed: {}: {}", place_text(f.file, f.place), f.refusal));
    if (r.not_cxx != 0)
        add(fmt::format("left out: {} in another language than C++", count_text(r.not_cxx, "file")));
    if (r.excluded != 0)
        add(fmt::format("left out: {}", count_text(r.excluded, "file")) +
            (r.options.scope.exclude
                 ? std::string{" that --exclude names"}
                 : std::string{" of the build folder or of third parties; --exclude '' checks them"}));
    for (const std::string& text : r.remarks)
        add(text);
    if (r.signal != 0)
        add(fmt::format("stopped by {}: {} not checked", signal_name(r.signal),
                        count_text(r.not_run, "file")));
    return lines;
}

} // namespace linn::tool
