// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include "../measure/sort_stably.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace linn::tool::live {
namespace {

double value_of(const live_row& row, sort_key by) {
    switch (by) {
    case sort_key::rate:
        return row.figures.allocations;
    case sort_key::live:
        return row.figures.live_bytes;
    case sort_key::growth:
        break;
    }
    return row.figures.growth;
}

void add(row_figures& to, const row_figures& f) {
    to.allocations += f.allocations;
    to.bytes += f.bytes;
    to.live_bytes += f.live_bytes;
    to.live_blocks += f.live_blocks;
    to.growth += f.growth;
}

} // namespace

void live_rows::take(const live_figures& figures, double seconds) {
    const double passed = std::max(seconds - seconds_, 1e-3);
    ++moment_;
    const std::size_t place = moment_ % moments;
    times_[place] = seconds_ = seconds;
    for (const site_figures& f : figures.sites) {
        site_state& site = sites_[f.key];
        site.seen = moment_;
        site.now.allocations = (f.allocations - site.allocations) / passed;
        site.now.bytes = (f.bytes - site.bytes) / passed;
        site.now.live_bytes = f.live_bytes;
        site.now.live_blocks = f.live_blocks;
        site.live_bytes[place] = static_cast<float>(f.live_bytes);
        allocations_ += f.allocations - site.allocations;
        site.allocations = f.allocations;
        site.bytes = f.bytes;
    }
    // Of a process that has ended nothing lives; what did still counts as shrunk while the window reaches back to it.
    for (auto at = sites_.begin(); at != sites_.end();) {
        site_state& site = at->second;
        if (site.seen != moment_) {
            site.now = {};
            site.live_bytes[place] = 0;
        }
        at = moment_ - site.seen >= moments ? sites_.erase(at) : std::next(at);
    }
    last_ = figures;
    last_.sites.clear();
}

std::vector<site_key> live_rows::unnamed(std::size_t most) const {
    std::vector<std::pair<double, site_key>> found;
    for (const auto& [key, site] : sites_) {
        if (site.row == 0) {
            found.emplace_back(site.bytes + site.now.live_bytes + site.allocations, key);
        }
    }
    most = std::min(most, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                      [](const auto& a, const auto& b) {
                          return a.first != b.first ? a.first > b.first : a.second < b.second;
                      });
    std::vector<site_key> keys;
    for (std::size_t i = 0; i != most; ++i) {
        keys.push_back(found[i].second);
    }
    return keys;
}

void live_rows::name(const site_key& site, const std::string& type, const std::string& place,
                     std::uint64_t kept_by_runtime) {
    const auto known = sites_.find(site);
    if (known == sites_.end()) {
        return;
    }
    const auto [row, is_new] = row_of_.try_emplace(type, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) {
        rows_.push_back({type, place, 0});
    } else if (rows_[row->second].place != place) {
        ++rows_[row->second].other_places;
    }
    known->second.row = row->second;
    known->second.kept_by_runtime = kept_by_runtime;
}

/// Where the figures of a window before stand; `moments` if the window begins before the program.
std::size_t live_rows::moment_before(double window) const {
    const std::uint64_t oldest = moment_ >= moments ? moment_ - moments + 1 : 1;
    for (std::uint64_t m = moment_; m >= oldest; --m) {
        // Moments are never exactly a second apart.
        if (times_[m % moments] <= seconds_ - window + 0.25) {
            return m % moments;
        }
    }
    return moments;
}

live_table live_rows::table(sort_key by, double window) const {
    live_table t;
    t.allocations = allocations_;
    t.events = last_.events;
    t.dropped = last_.dropped;
    t.one_in = last_.one_in;
    t.one_chunk_in = last_.one_chunk_in;
    t.error = last_.error;
    t.is_estimated = last_.is_estimated;
    t.processes = last_.processes;
    t.threads = last_.threads;
    t.seconds = seconds_;
    const std::size_t before = moment_before(window);
    t.window = before == moments ? seconds_ : seconds_ - times_[before];
    std::vector<live_row> rows(rows_.size());
    for (const auto& [key, site] : sites_) {
        row_figures f = site.now;
        f.growth = f.live_bytes - (before == moments ? 0.0 : static_cast<double>(site.live_bytes[before]));
        // The history has seven digits.
        if (std::abs(f.growth) < 1e-6 * f.live_bytes) {
            f.growth = 0;
        }
        add(t.all, f);
        if (site.kept_by_runtime == 0 || f.live_blocks > static_cast<double>(site.kept_by_runtime)) {
            add(rows[site.row].figures, f);
        }
    }
    for (std::size_t i = 0; i != rows.size(); ++i) {
        live_row& row = rows[i];
        const row_figures& f = row.figures;
        if (f.allocations <= 0 && f.live_blocks < 0.5 && std::abs(f.growth) < 0.5) {
            continue;
        }
        row.name = rows_[i].type;
        row.place = rows_[i].other_places == 0 ? rows_[i].place
                                               : fmt::format("{} +{}", rows_[i].place, rows_[i].other_places);
        t.rows.push_back(std::move(row));
    }
    sort_stably(t.rows,
                [&](const live_row& a, const live_row& b) { return value_of(a, by) > value_of(b, by); });
    return t;
}

} // namespace linn::tool::live
