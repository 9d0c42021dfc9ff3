// SPDX-License-Identifier: Apache-2.0
#include "profile_parts.hpp"

#include "../../symbols/short_name.hpp"
#include "report_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {

nlohmann::ordered_json profile_frame_json(const profile_frame& frame) {
    return {{"function", frame.name},
            {"file", text_or_null(frame.folders + frame.file)},
            {"line", frame.line == 0 ? nlohmann::ordered_json{} : nlohmann::ordered_json(frame.line)},
            {"library", text_or_null(frame.library)}};
}

nlohmann::ordered_json row_name_json(const std::string& type, const profile_frame& place,
                                     const std::vector<profile_frame>& stack) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!type.empty()) {
        json["type"] = type;
    }
    if (!place.name.empty()) {
        json["place"] = profile_frame_json(place);
    }
    if (!stack.empty()) {
        nlohmann::ordered_json& frames = json["stack"] = nlohmann::ordered_json::array();
        for (const profile_frame& f : stack) {
            frames.push_back(profile_frame_json(f));
        }
    }
    return json;
}

nlohmann::ordered_json line_of(const char* what, nlohmann::ordered_json row) {
    row["what"] = what;
    if (row.contains("stack")) {
        std::string functions;
        for (const nlohmann::ordered_json& frame : row["stack"]) {
            functions += (functions.empty() ? "" : ";") + frame["function"].get<std::string>();
        }
        row["stack"] = functions;
    }
    return row;
}

std::string stack_text(const std::vector<profile_frame>& stack, const profile_frame& place, stack_part part) {
    constexpr std::size_t few = 6;
    constexpr std::size_t letters = 56; // of a function
    auto begin = stack.begin();
    auto end = stack.end();
    if (part == stack_part::from_place) {
        const auto found = std::find_if(begin, end, [&](const profile_frame& f) { return f.is_same(place); });
        begin = found == end ? begin : found;
        // What starts main() is the same in every program.
        const auto start = std::find_if(begin, end, [](const profile_frame& f) { return f.name == "main"; });
        end = start == end ? end : start + 1;
    }
    const auto count = static_cast<std::size_t>(end - begin);
    const std::size_t most = part == stack_part::whole ? count : std::min(count, few);
    std::string lines;
    for (std::size_t i = 0; i != most; ++i) {
        const profile_frame& f = begin[static_cast<std::ptrdiff_t>(i)];
        lines += fmt::format("{}{}{}\n", i == 0 ? "" : "from ", short_type(f.name, letters),
                             f.file.empty() ? "" : ", " + f.place());
    }
    return count > most ? lines + fmt::format("and {} more\n", count - most) : lines;
}

nlohmann::ordered_json sample_json(const sample_spread& spread, double bytes) {
    if (spread.blocks == 0) {
        return {};
    }
    const sample_bounds b = bounds_of_sample(bytes, spread);
    return {{"blocks", spread.blocks}, {"bytes_low", b.low}, {"bytes_high", b.high}};
}

} // namespace linn::tool::report
