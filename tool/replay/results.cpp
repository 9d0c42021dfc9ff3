// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>

namespace linn::tool {

const char* to_string(replay_call call) noexcept {
    switch (call) {
    case replay_call::faster:
        return "faster";
    case replay_call::slower:
        return "slower";
    case replay_call::tie:
        return "tie";
    case replay_call::not_judged:
        break;
    }
    return "not judged";
}

const replay_row* replay_result::find(const std::string& name) const noexcept {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const replay_row& r) { return r.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

double replay_result::ceiling() const noexcept {
    const replay_row* const null = find(null_name);
    return null == nullptr ? 0 : std::max(0.0, -null->change);
}

} // namespace linn::tool
