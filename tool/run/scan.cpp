// SPDX-License-Identifier: Apache-2.0
#include "scan.hpp"

#include "../experiment/too_few_rounds.hpp"
#include "../measure/quantity.hpp"
#include "../measure/sort_stably.hpp"
#include "judge.hpp"
#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace linn::tool {
namespace {

bool is_name(const std::string& text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-0123456789";
    return !text.empty() && text.find_first_not_of(letters) == std::string::npos;
}

std::string replaced(std::string text, const std::string& name, const std::string& value) {
    const std::string mark = "{" + name + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
    }
    return text;
}

/// Every text of a run that may hold a placeholder, but for the command.
template <class Options>
auto texts_of(Options& options) {
    return std::array{&options.prepare, &options.launch.client, &options.launch.ready};
}

void put_in(const scan_parameter& p, const std::string& value, run_options& options,
            std::vector<std::string>& command) {
    for (std::string& word : command) {
        word = replaced(word, p.name, value);
    }
    for (std::string* text : texts_of(options)) {
        *text = replaced(*text, p.name, value);
    }
}

/// The values of each point: the last parameter changes fastest.
std::vector<std::vector<std::string>> points_of(const std::vector<scan_parameter>& parameters) {
    std::vector<std::vector<std::string>> points{{}};
    for (const scan_parameter& p : parameters) {
        std::vector<std::vector<std::string>> more;
        for (const std::vector<std::string>& before : points) {
            for (const std::string& value : p.values) {
                more.push_back(before);
                more.back().push_back(value);
            }
        }
        points = std::move(more);
    }
    return points;
}

/// How a contender did at all points.
struct record {
    std::string title;
    std::size_t faster = 0;
    std::size_t slower = 0;
    double least = 0; ///< ratio where it was faster
    double most = 0;
};

std::string verdict_of(const scan_result& scan) {
    std::map<std::string, record> records;
    std::size_t judged = 0;
    std::size_t most_compared = 0;
    too_few_rounds missing;
    for (const scan_point& point : scan.points) {
        std::size_t compared = 0;
        for (const run_row& row : point.run.rows) {
            const estimate* const e = row.find_estimate(point.run.judged_by);
            if (e == nullptr || row.contender.is_own()) {
                continue;
            }
            ++compared;
            record& r = records[row.contender.name];
            r.title = row.contender.title;
            r.slower += e->call == verdict::worse ? 1 : 0;
            if (e->call == verdict::better) {
                r.least = r.faster == 0 ? e->ratio : std::min(r.least, e->ratio);
                r.most = std::max(r.most, e->ratio);
                ++r.faster;
            }
        }
        const std::size_t needed = least_rounds_to_claim(compared, point.run.options.level);
        judged += compared != 0 && point.run.complete_rounds >= needed ? 1 : 0;
        most_compared = std::max(most_compared, compared);
        missing.needed = std::max(missing.needed, needed);
        missing.done = point.run.complete_rounds;
        missing.seconds += point.run.measured_seconds;
        missing.why = point.run.stopped;
    }
    if (most_compared == 0) {
        return "Nothing was compared";
    }
    if (judged == 0) {
        missing.others = most_compared > 1 ? "--only" : "";
        return text_of(missing,
                       fmt::format("to compare {} at {}", figures::counted(most_compared, "allocator"),
                                   figures::counted(scan.points.size(), "point")));
    }
    std::vector<record> sorted;
    for (const auto& [name, r] : records) {
        sorted.push_back(r);
    }
    sort_stably(sorted, [](const record& a, const record& b) {
        return a.faster != b.faster ? a.faster > b.faster : a.least < b.least;
    });
    if (sorted.front().faster == 0) {
        return fmt::format("No allocator is faster than the default at any of {}",
                           figures::counted(judged, "point"));
    }
    const record& best = sorted.front();
    const std::string low = change_text(best.most);
    const std::string high = change_text(best.least);
    return fmt::format("{} is faster than the default at {} of {}, by {}{}", best.title, best.faster,
                       figures::counted(judged, "point"),
                       low == high ? low : fmt::format("{} to {}", low, high),
                       best.slower == 0 ? "" : fmt::format(", and slower at {}", best.slower));
}

} // namespace

std::string read_scan(const std::string& text, scan_parameter& into) {
    const std::size_t equals = text.find('=');
    into.name = text.substr(0, equals);
    if (equals == std::string::npos || !is_name(into.name)) {
        return fmt::format("--scan must be NAME=VALUE,VALUE,..., such as n=1,2,4, not '{}'", text);
    }
    into.values.clear();
    for (std::size_t at = equals + 1; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::string value = text.substr(at, end - at);
        if (value.empty()) {
            return fmt::format("--scan {}: a value is empty", text);
        }
        if (std::find(into.values.begin(), into.values.end(), value) != into.values.end()) {
            return fmt::format("--scan {}: {} is given twice", text, value);
        }
        into.values.push_back(std::move(value));
        at = end + 1;
    }
    return {};
}

std::string check_scan(const std::vector<scan_parameter>& parameters, const run_options& options,
                       const std::vector<std::string>& command) {
    std::size_t points = 1;
    for (std::size_t i = 0; i != parameters.size(); ++i) {
        const std::string& name = parameters[i].name;
        const auto is_same = [&](const scan_parameter& p) { return p.name == name; };
        if (std::count_if(parameters.begin(), parameters.end(), is_same) > 1) {
            return fmt::format("--scan {} is given twice: give all values at once, such as {}=1,2,4", name,
                               name);
        }
        const std::string mark = "{" + name + "}";
        const auto has_mark = [&](const std::string& text) { return text.find(mark) != std::string::npos; };
        const auto texts = texts_of(options);
        if (std::none_of(command.begin(), command.end(), has_mark) &&
            std::none_of(texts.begin(), texts.end(),
                         [&](const std::string* text) { return has_mark(*text); })) {
            return fmt::format(
                "--scan {}: nothing holds {}; write it where the value belongs, as in -- PROG {}", name, mark,
                mark);
        }
        points *= parameters[i].values.size();
        if (points > most_scan_points) {
            return fmt::format("--scan: there are more than {} combinations of values", most_scan_points);
        }
    }
    return {};
}

std::string scan_label(const std::vector<scan_parameter>& parameters,
                       const std::vector<std::string>& values) {
    std::string label;
    for (std::size_t i = 0; i != values.size(); ++i) {
        label += fmt::format("{}{} = {}", label.empty() ? "" : ", ", parameters[i].name, values[i]);
    }
    return label;
}

scan_result run_scan(std::vector<scan_parameter> parameters, const run_options& options,
                     const std::vector<std::string>& command, const run_at_point& run,
                     const scan_notice& notice) {
    scan_result scan;
    scan.parameters = std::move(parameters);
    scan.command = command;
    const std::vector<std::vector<std::string>> points = points_of(scan.parameters);
    scan.planned = points.size();
    for (const std::vector<std::string>& values : points) {
        run_options here = options;
        std::vector<std::string> words = command;
        here.budget = std::max(std::chrono::seconds{1}, options.budget / static_cast<int>(points.size()));
        for (std::size_t i = 0; i != values.size(); ++i) {
            put_in(scan.parameters[i], values[i], here, words);
        }
        const std::string label = scan_label(scan.parameters, values);
        notice(scan.points.size(), points.size(), label);
        run_result result = run(here, words);
        scan.interrupted_by = result.interrupted_by;
        if (!result.problem.empty()) {
            scan.problem = fmt::format("{}: {}", label, result.problem);
            scan.is_usage_error = result.is_usage_error;
        }
        const bool has_samples = std::any_of(result.rows.begin(), result.rows.end(),
                                             [](const run_row& r) { return !r.samples.empty(); });
        if (has_samples) {
            scan.points.push_back({values, std::move(result)});
        }
        if (scan.interrupted_by != 0 || !scan.problem.empty()) {
            break;
        }
    }
    scan.verdict = verdict_of(scan);
    return scan;
}

} // namespace linn::tool
