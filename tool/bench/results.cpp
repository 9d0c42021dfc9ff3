// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

std::string spaced(std::size_t count) {
    return figures::written(figures::unit::count, static_cast<double>(count), figures::lettering::prose);
}

} // namespace

std::vector<double> row::cycles(std::size_t phase) const {
    std::vector<double> values;
    for (const sample& s : samples) {
        values.push_back(s.cycles[phase]);
    }
    return values;
}

std::optional<double> row::metric(std::size_t phase, std::string_view name) const {
    const phase_figures* const known = in(phase);
    if (known == nullptr) {
        return std::nullopt;
    }
    const auto found = known->metrics.find(std::string{name});
    return found == known->metrics.end() ? std::nullopt : std::optional{found->second};
}

const row* scenario_result::find(const std::vector<contender>& contenders, std::string_view name,
                                 std::string_view variant) const {
    for (const row& r : rows) {
        if (contenders[r.contender].name == name && variant_of(r).name == variant) {
            return &r;
        }
    }
    return nullptr;
}

std::vector<const row*> scenario_result::sorted_rows(std::optional<std::size_t> variant) const {
    std::vector<const row*> sorted;
    for (const row& r : rows) {
        if (!variant || r.variant == *variant) {
            sorted.push_back(&r);
        }
    }
    std::ranges::stable_sort(sorted, [](const row* a, const row* b) { return a->ratio < b->ratio; });
    return sorted;
}

const published_row* scenario_result::find_published(std::string_view contender,
                                                     std::string_view variant) const noexcept {
    for (const published_row& row : published) {
        if (!contender.empty() && row.contender == contender && row.variant == variant) {
            return &row;
        }
    }
    return nullptr;
}

std::string bench_result::title_of(const scenario_result& s, const row& r) const {
    const variant_info& v = s.variant_of(r);
    return v.contender.empty() ? std::string{v.title} + " on " + contenders[r.contender].title
                               : std::string{v.title};
}

std::optional<double> bench_result::shown(const row& r, const column_info& c) const {
    if (!c.metric.empty()) {
        const auto value = r.metric(c.phase, c.metric);
        return value && c.shows == figure::metric_time ? *value / machine.ticks_per_ns * c.factor : value;
    }
    const phase_figures* const f = r.in(c.phase);
    if (f == nullptr) {
        return std::nullopt;
    }
    switch (c.shows) {
    case figure::faults:
        return f->faults;
    case figure::cycles:
        return f->cycles.median.middle;
    case figure::minimum:
        return f->cycles.minimum;
    case figure::rate:
        return 1e9 / f->ns.median.middle * c.factor;
    case figure::time:
        return f->ns.median.middle * c.factor;
    default:
        return std::nullopt;
    }
}

std::string heading_of(const bench_options& options, const scenario& s) {
    return fmt::format(fmt::runtime(s.heading), fmt::arg("objects", spaced(options.objects)),
                       fmt::arg("object_bytes", options.object_bytes), fmt::arg("n", spaced(options.n)),
                       fmt::arg("container", options.container));
}

std::size_t bytes_to_touch(const bench_options& options, const scenario& s) {
    if (s.sized_by == work_size::percent) {
        return s.touched_mib << 20;
    }
    // A node and its share of the bucket array, generously; the cap keeps a huge --n from filling the machine.
    const std::size_t wanted =
        s.sized_by == work_size::objects ? options.objects * (options.object_bytes + 32) : options.n * 64;
    return std::clamp<std::size_t>(wanted, 1 << 20, std::size_t{1} << 30);
}

} // namespace linn::tool
