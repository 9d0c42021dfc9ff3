// SPDX-License-Identifier: Apache-2.0
#include "check_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"
#include "stack_text.hpp"

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json limit_json(const checked_limit& c) {
    ordered_json json{{"budget", c.of.name},
                      {"line", c.of.line},
                      {"program", text_or_null(c.of.program)},
                      {"type", text_or_null(c.of.type)},
                      {"function", text_or_null(c.of.function)},
                      {"file", text_or_null(c.of.file)},
                      {"limit", limit_name(c.limit)},
                      {"allowed", c.most},
                      {"used", c.used},
                      {"used_at_most", c.used_at_most},
                      {"broken", c.is_broken()}};
    ordered_json& stacks = json["stacks"] = ordered_json::array();
    for (const counted_stack& s : c.stacks) {
        ordered_json frames = ordered_json::array();
        for (const profile_frame& f : s.stack) {
            frames.push_back(profile_frame_json(f));
        }
        stacks.push_back({{"type", s.label},
                          {"used", s.used},
                          {"place", profile_frame_json(s.place)},
                          {"stack", std::move(frames)}});
    }
    return json;
}

} // namespace

std::string check_json(const check_result& r) {
    ordered_json json{
        {"schema", "linn.check/1"},   {"version", version_text()}, {"verdict", r.verdict},
        {"kept", r.is_kept()},        {"budgets", r.budget_file},  {"trace", text_or_null(r.trace)},
        {"command", r.command},       {"broken", r.broken()},      {"other_programs", r.others},
        {"incomplete", r.incomplete}, {"warnings", r.warnings}};
    ordered_json& limits = json["limits"] = ordered_json::array();
    for (const checked_limit& c : r.limits) {
        limits.push_back(limit_json(c));
    }
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
