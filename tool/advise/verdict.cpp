// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include "cost.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

constexpr double notable = 0.01; // of the run, for one type

const advised_type* best_of(const advice& a, bool (*wanted)(const advised_type&)) {
    const auto found = std::find_if(a.types.begin(), a.types.end(), wanted); // the types are by gain
    return found == a.types.end() ? nullptr : &*found;
}

bool is_good_pool(const advised_type& t) {
    return is_pool(t.what) && t.gain.high >= notable && t.gain.low > 0;
}

bool is_good_change(const advised_type& t) {
    return (t.what == remedy::for_overwrite || t.what == remedy::reserve) && t.gain.high >= notable &&
           t.gain.low > 0;
}

std::string named_place(const advised_type& t) {
    const std::string place = t.places.empty() ? std::string{} : place_text(t.places.front().frame);
    if (place.empty())
        return label_of(t);
    return fmt::format("{} {}{}", label_of(t), place.starts_with("in ") ? "" : "at ", place);
}

std::string change_text(const advised_type& t) {
    return fmt::format("{} for {}, {}", t.part, named_place(t), gain_text(t.gain));
}

} // namespace

advice_verdict verdict_of(const advice& a) {
    const trace_info& info = a.analysis.info;
    if (a.analysis.all.allocations == 0) {
        const bool is_whole = info.damage.empty() && info.dropped == 0;
        return {
            is_whole
                ? "No pool needed: the trace has no allocations."
                : "Whether a pool would help cannot be said: the program's allocations are not in the trace.",
            false};
    }
    const advised_type* const pool = best_of(a, is_good_pool);
    const advised_type* const change = best_of(a, is_good_change);
    const std::string most = share_text(a.ceiling.high);
    if (a.program_cpu_ns <= 0)
        return {
            fmt::format(
                "Whether a pool would help cannot be said: the trace does not tell how long the program ran. "
                "It allocated {} blocks.",
                a.analysis.all.allocations),
            false};
    if (a.ceiling.high < negligible_ceiling || (pool == nullptr && change != nullptr)) {
        std::string text =
            a.ceiling.high < negligible_ceiling
                ? fmt::format("No pool needed: an allocator that cost nothing would save at most {} of "
                              "this run",
                              most)
                : "No pool needed: no type would gain from one";
        if (change != nullptr)
            text += fmt::format("; what would help is {}", change_text(*change));
        return {text + ".", false};
    }
    if (pool != nullptr)
        return {fmt::format("A pool would help: allocation is up to {} of this run; start with {}, {}.", most,
                            named_place(*pool), gain_text(pool->gain)),
                true};
    const bool has_other =
        best_of(a, [](const advised_type& t) { return t.what == remedy::other_allocator; }) != nullptr;
    if (has_other)
        return {
            fmt::format(
                "No pool needed, but another allocator may help: allocation is up to {} of this run, and no "
                "single type is worth a pool; try 'linn run'.",
                most),
            false};
    return {fmt::format("No pool needed: allocation is up to {} of this run, but no type would save {} of it "
                        "with a pool.",
                        most, share_text(notable)),
            false};
}

} // namespace linn::tool
