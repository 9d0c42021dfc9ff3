// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace linn::tool {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i != a.size(); ++i) {
        std::size_t diagonal = row[0]; // the distance of the prefixes one shorter each
        row[0] = i + 1;
        for (std::size_t j = 0; j != b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    // About a third of the word may be wrong; more is another word.
    std::size_t least = std::min(std::max<std::size_t>(1, (word.size() + 1) / 3) + 1, word.size());
    for (const std::string& candidate : candidates) {
        const bool is_start = word.size() >= 3 && candidate.starts_with(word);
        const std::size_t distance = is_start ? 1 : edit_distance(word, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string guess = suggest(word, candidates);
    return guess.empty() ? guess : fmt::format("; did you mean '{}'?", guess);
}

std::string unknown_name(std::string_view kind, std::string_view word, const std::vector<std::string>& names,
                         const std::vector<std::string>& others) {
    std::vector<std::string> candidates = names;
    candidates.insert(candidates.end(), others.begin(), others.end());
    return fmt::format("unknown {} '{}'; the {}s are: {}{}", kind, word, kind, fmt::join(names, ", "),
                       did_you_mean(word, candidates));
}

} // namespace linn::tool
