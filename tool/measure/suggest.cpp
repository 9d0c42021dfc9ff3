// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include "files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace linn::tool {
namespace {

/// How many letters to insert, delete or replace to turn one word into the other.
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

} // namespace

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

std::string unknown_name(std::string_view kind, std::string_view word,
                         const std::vector<std::string>& names) {
    return fmt::format("unknown {} '{}'; the {}s are: {}{}", kind, word, kind, fmt::join(names, ", "),
                       did_you_mean(word, names));
}

void refuse_unknown(std::string_view kind, const std::vector<std::string>& words,
                    const std::vector<std::string>& names) {
    for (const std::string& word : words) {
        if (std::find(names.begin(), names.end(), word) == names.end()) {
            throw wrong_arguments{unknown_name(kind, word, names)};
        }
    }
}

namespace {

bool is_plain(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    // Bytes above 127 belong to letters of other scripts.
    return is_letter || static_cast<unsigned char>(c) > 127 ||
           std::string_view{"%+,-./:=@_"}.find(c) != std::string_view::npos;
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// As one would type it in $'...'.
std::string escaped(char c) {
    if (c == '\n' || c == '\t' || c == '\r') {
        return c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    }
    return is_control(c)            ? fmt::format("\\{:03o}", c)
           : c == '\'' || c == '\\' ? std::string{'\\', c}
                                    : std::string{c};
}

} // namespace

std::string shell_words(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += line.empty() ? "" : " ";
        if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
            line += word;
            continue;
        }
        const bool is_escaped = std::any_of(word.begin(), word.end(), is_control);
        line += is_escaped ? "$'" : "'";
        for (const char c : word) {
            line += is_escaped ? escaped(c) : c == '\'' ? "'\\''" : std::string{c};
        }
        line += '\'';
    }
    return line;
}

std::string shell_file(const std::string& name) {
    return shell_words({name.starts_with('-') ? "./" + name : name});
}

} // namespace linn::tool
