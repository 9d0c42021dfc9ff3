// SPDX-License-Identifier: Apache-2.0
#include "../../check/check.hpp"
#include "../../measure/suggest.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json stack_json(const counted_stack& s) {
    return {{"type", s.label},
            {"used", s.used},
            {"place", profile_frame_json(s.place)},
            {"stack", list_json(s.stack, profile_frame_json)}};
}

ordered_json limit_json(const checked_limit& c) {
    return {{"budget", c.of.name},
            {"line", c.of.line},
            {"program", text_or_null(c.of.program)},
            {"type", text_or_null(c.of.type)},
            {"function", text_or_null(c.of.function)},
            {"file", text_or_null(c.of.file)},
            {"limit", to_string(c.limit)},
            {"allowed", c.most},
            {"used", c.used},
            {"used_at_most", c.used_at_most},
            {"broken", c.is_broken()},
            {"stacks", list_json(c.stacks, stack_json)}};
}

void add_broken(document& d, const check_result& r) {
    section& s = d.add_section("broken", "Broken");
    for (const checked_limit& c : r.limits) {
        if (!c.is_broken()) {
            continue;
        }
        s.add(subheading{fmt::format("{}: {} {}, allowed {} ({}:{})", c.of.name, words_of(c.limit),
                                     c.figure(c.used).text(lettering::prose),
                                     c.figure(c.most).text(lettering::prose), r.budget_file, c.of.line)});
        s.add(table_of(row_kind::stacks, fmt::format("Stacks with most {}", words_of(c.limit)),
                       {{.heading = words_of(c.limit)}}, std::span{c.stacks}, c.stacks.size(),
                       [&](const counted_stack& stack) { return row{{c.figure(stack.used)}}; }));
    }
}

void add_all(document& d, const check_result& r) {
    table t{"Limits in the order of the file",
            {{.heading = "budget", .is_text = true, .shorten = cut::end, .least = 20},
             {.heading = "of", .is_text = true, .droppable = 1},
             {.heading = "allowed"},
             {.heading = "used"},
             {.heading = "", .is_text = true}}};
    for (const checked_limit& c : r.limits) {
        t.add({c.of.name, words_of(c.limit), c.figure(c.most), c.figure(c.used),
               cell{c.is_broken()    ? "broken"
                    : c.is_unknown() ? "not known"
                                     : "kept"}
                   .styled(c.is_broken() ? emphasis::bad : emphasis::none)},
              c.is_broken() ? emphasis::bad : emphasis::none);
    }
    if (r.others != 0) {
        t.remarks.push_back(fmt::format("{} of other programs", counted(r.others, "budget")));
    }
    d.add_section("limits", "All limits").add(std::move(t));
}

ordered_json check_json(const check_result& r) {
    return result_json("linn.check/1", {{"verdict", r.verdict},
                                        {"kept", r.is_kept()},
                                        {"budgets", r.budget_file},
                                        {"trace", text_or_null(r.trace)},
                                        {"command", r.command},
                                        {"broken", r.broken()},
                                        {"other_programs", r.others},
                                        {"incomplete", r.incomplete},
                                        {"warnings", r.warnings},
                                        {"limits", list_json(r.limits, limit_json)}});
}

} // namespace

document check_document(const check_result& r) {
    document d{.command = "linn check",
               .subject = shell_words(r.command),
               .question = "Does it keep its budgets?",
               .lead = r.verdict + '.'};
    d.add(paragraph{fmt::format("Checked: {} by {}.", shell_words(r.command), r.budget_file)});
    add_broken(d, r);
    add_all(d, r);
    d.warnings = r.warnings;
    d.warnings.insert(d.warnings.begin(), r.incomplete.begin(), r.incomplete.end());
    d.json = [&] { return check_json(r); };
    d.data = [&] {
        return data_of(list_json(r.limits, limit_json),
                       "budget line program type function file limit allowed used broken used_at_most");
    };
    return d;
}

} // namespace linn::tool::report
