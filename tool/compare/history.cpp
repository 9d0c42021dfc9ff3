// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder, std::string& problem) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
        if (at->path().extension() == ".json" && at->is_regular_file()) {
            paths.push_back(at->path());
        }
    }
    if (error) {
        problem = fmt::format("--history {}: {}", folder.string(), error.message());
    } else if (paths.empty()) {
        problem = fmt::format("--history {}: no file ends in .json", folder.string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// Results of one series, in the order of time; what does not belong to it is told.
class result_list {
public:
    result_list(const std::vector<fs::path>& paths, std::vector<std::string>& skipped) {
        for (const fs::path& path : paths) {
            try {
                files_.push_back(read_result_file(path));
            } catch (const unusable_file& error) {
                skipped.emplace_back(error.what());
            }
        }
        std::sort(files_.begin(), files_.end(), [](const result_file& a, const result_file& b) {
            return std::pair{a.started, a.path} < std::pair{b.started, b.path};
        });
        if (!files_.empty()) {
            const result_file newest = files_.back();
            std::erase_if(files_, [&](const result_file& file) {
                const std::string why = why_not_comparable(file, newest);
                if (!why.empty()) {
                    skipped.push_back(why);
                }
                return !why.empty();
            });
        }
    }

    std::vector<result_file>& files() noexcept { return files_; }

    bool is_of_one_machine() const {
        return std::all_of(files_.begin(), files_.end(), [&](const result_file& file) {
            return different_machine(files_.front(), file).empty();
        });
    }

private:
    std::vector<result_file> files_;
};

class history_builder {
public:
    explicit history_builder(result_history& into) : into_{into} {}

    /// @param at index of the newer one
    void add(const file_comparison& c, std::size_t at) {
        for (const series_change& s : c.series) {
            history_row& row = rows_[s.name];
            row.name = s.name;
            row.unit = s.unit;
            if (row.points.empty() || row.points.back().file != at - 1) {
                row.points.push_back({at - 1, s.old_median, s.old_count, change_kind::unchanged, 0});
            }
            row.points.push_back({at, s.new_median, s.new_count, s.kind, s.change.middle});
        }
    }

    void finish() {
        for (auto& [name, row] : rows_) {
            into_.rows.push_back(std::move(row));
        }
        std::stable_sort(into_.rows.begin(), into_.rows.end(),
                         [](const history_row& a, const history_row& b) {
                             return std::abs(a.largest_step()) > std::abs(b.largest_step());
                         });
    }

private:
    result_history& into_;
    std::map<series_name, history_row> rows_;
};

bool is_step(const history_point& p) {
    return p.step == change_kind::regression || p.step == change_kind::improvement;
}

std::string verdict_of(const result_history& h) {
    std::size_t steps = 0;
    for (const history_row& row : h.rows) {
        steps += row.steps();
    }
    const std::string over = fmt::format("in {} over {}", figures::counted(h.rows.size(), "row"),
                                         figures::counted(h.files.size(), "result"));
    if (steps == 0) {
        return "No certain step " + over;
    }
    const history_row& first = h.rows.front();
    const auto largest = std::max_element(
        first.points.begin(), first.points.end(), [](const history_point& a, const history_point& b) {
            return (is_step(a) ? std::abs(a.change) : -1) < (is_step(b) ? std::abs(b.change) : -1);
        });
    return fmt::format("{} {}; the largest is {}: {} in {}", figures::counted(steps, "certain step"), over,
                       describe(first.name), figures::written(figures::unit::change, largest->change),
                       fs::path{h.files[largest->file].path}.filename().string());
}

} // namespace

double history_row::largest_step() const noexcept {
    double largest = 0;
    for (const history_point& p : points) {
        if (is_step(p) && std::abs(p.change) > std::abs(largest)) {
            largest = p.change;
        }
    }
    return largest;
}

std::size_t history_row::steps() const noexcept {
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), is_step));
}

std::size_t result_history::rows_with_steps() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const history_row& r) { return r.steps() != 0; }));
}

result_history read_history(const std::filesystem::path& folder, const compare_options& options) {
    result_history h;
    h.options = options;
    const std::vector<fs::path> paths = files_in(folder, h.problem);
    if (!h.problem.empty()) {
        return h;
    }
    result_list list{paths, h.skipped};
    std::vector<result_file>& files = list.files();
    if (files.size() < 2) {
        h.problem = fmt::format("--history {}: {} of {} can be compared, and a history needs two{}",
                                folder.string(), files.size(), figures::counted(paths.size(), "file"),
                                h.skipped.empty() ? "" : "; " + h.skipped.front());
        return h;
    }
    if (options.by == compare_by::automatic) {
        h.options.by = list.is_of_one_machine() ? compare_by::absolute : compare_by::ratio;
    }
    // Each comparison may say something false with a part of the chance.
    compare_options each = h.options;
    each.level = 1 - (1 - options.level) / static_cast<double>(files.size() - 1);
    for (const result_file& file : files) {
        h.files.push_back({file.path, file.started, file.version, file.complete});
    }
    history_builder rows{h};
    for (std::size_t i = 1; i != files.size(); ++i) {
        const file_comparison c = compare_files(files[i - 1], files[i], each);
        if (c.problem.empty()) {
            rows.add(c, i);
        } else {
            h.skipped.push_back(c.problem);
        }
    }
    rows.finish();
    if (h.rows.empty()) {
        h.problem = fmt::format("--history {}: no two results that follow each other have a row in common",
                                folder.string());
        return h;
    }
    h.verdict = verdict_of(h);
    return h;
}

} // namespace linn::tool
