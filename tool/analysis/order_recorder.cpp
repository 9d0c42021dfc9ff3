// SPDX-License-Identifier: Apache-2.0
#include "order_recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

void add(ordered_site& to, const ordered_site& more) {
    to.allocations += more.allocations;
    to.bytes += more.bytes;
    to.temporary += more.temporary;
}

/// Joins what is of one site, where it stands first.
void join_equal(std::vector<ordered_site>& all) {
    std::map<std::uint32_t, std::size_t> places;
    std::vector<ordered_site> joined;
    for (const ordered_site& s : all) {
        if (const auto [at, is_new] = places.try_emplace(s.site, joined.size()); is_new) {
            joined.push_back(s);
        } else {
            add(joined[at->second], s);
        }
    }
    all = std::move(joined);
}

/// Keeps the largest sites of a step, in their order; the others are one at the end.
void keep_largest(std::vector<ordered_site>& all) {
    constexpr auto most = static_cast<std::ptrdiff_t>(order_recorder::most_sites);
    if (all.size() <= 2 * order_recorder::most_sites) {
        return;
    }
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i != all.size(); ++i) {
        if (all[i].site != others_in_step) { // it is no site, and stays with the others
            places.push_back(i);
        }
    }
    std::vector<bool> is_kept(all.size());
    const auto keep_by = [&](std::uint64_t ordered_site::* measure, auto from) {
        const auto end = from + std::min(most, places.end() - from);
        std::nth_element(from, end, places.end(), [&](std::size_t a, std::size_t b) {
            return all[a].*measure != all[b].*measure ? all[a].*measure > all[b].*measure : a < b;
        });
        std::for_each(from, end, [&](std::size_t i) { is_kept[i] = true; });
        return end;
    };
    keep_by(&ordered_site::bytes, keep_by(&ordered_site::allocations, places.begin()));
    std::vector<ordered_site> kept;
    ordered_site others{others_in_step, 0, 0, 0};
    for (std::size_t i = 0; i != all.size(); ++i) {
        if (is_kept[i]) {
            kept.push_back(all[i]);
        } else {
            add(others, all[i]);
        }
    }
    kept.push_back(others);
    all = std::move(kept);
}

} // namespace

void order_recorder::close_step() {
    std::vector<ordered_site>& closed = order_.steps.emplace_back();
    for (const std::uint32_t site : touched_) {
        closed.push_back(now_[site]);
        closed.back().site = site;
        now_[site] = {};
    }
    touched_.clear();
    if (others_now_.allocations != 0 || others_now_.temporary != 0) {
        closed.push_back(std::exchange(others_now_, ordered_site{others_in_step, 0, 0, 0}));
    }
    keep_largest(closed);
    closed.shrink_to_fit();
}

// Goes on with the step that was closed last.
void order_recorder::reopen_step() {
    for (const ordered_site& s : order_.steps.back()) {
        (s.site == others_in_step ? others_now_ : now_of(s.site)) = s;
    }
    order_.steps.pop_back();
}

// Each two steps become one; a last one without a neighbour goes on being written.
void order_recorder::halve() {
    if (order_.steps.size() % 2 != 0) {
        reopen_step();
    }
    std::vector<step> halved(order_.steps.size() / 2);
    for (std::size_t i = 0; i != halved.size(); ++i) {
        halved[i] = std::move(order_.steps[2 * i]);
        const step& second = order_.steps[2 * i + 1];
        halved[i].insert(halved[i].end(), second.begin(), second.end());
        join_equal(halved[i]);
        keep_largest(halved[i]);
    }
    order_.steps = std::move(halved);
    order_.step_ns *= 2;
    step_end_ = (order_.steps.size() + 1) * order_.step_ns;
}

void order_recorder::advance(std::uint64_t time) {
    // A damaged trace may have any time. Behind the last one that has a step behind it, no step would ever end.
    constexpr std::uint64_t latest = ~std::uint64_t{0} / 2;
    time = std::min(time, latest);
    // First the width, so that a long silence is not written step by step.
    while (time / order_.step_ns >= most_steps) {
        close_step();
        halve();
    }
    while (time >= step_end_) {
        close_step();
        step_end_ += order_.step_ns;
    }
}

allocation_order order_recorder::finish() {
    if (!touched_.empty() || others_now_.allocations != 0) {
        close_step();
    }
    return std::move(order_);
}

} // namespace linn::tool
