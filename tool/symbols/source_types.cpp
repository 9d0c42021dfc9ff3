// SPDX-License-Identifier: Apache-2.0
#include "cxx_name.hpp"
#include "symbolizer.hpp"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace linn::tool {
namespace {

std::size_t skip_spaces(const std::string& line, std::size_t at) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) {
        ++at;
    }
    return at;
}

/// The type name that begins at a position: words, "::", template arguments.
std::string type_from(const std::string& line, std::size_t at) {
    at = skip_spaces(line, at);
    const std::size_t begin = at;
    while (at < line.size()) {
        if (is_word(line[at])) {
            ++at;
        } else if (line.compare(at, 2, "::") == 0) {
            at += 2;
        } else if (line[at] == '<') {
            at = skip_bracket(line, at);
        } else if (line[at] == ' ' && at > begin) {
            // "unsigned int", "struct node", "const T" are of several words.
            static const std::string several[] = {"unsigned", "signed", "long", "short",
                                                  "struct",   "class",  "const"};
            const std::string so_far = line.substr(begin, at - begin);
            bool goes_on = false;
            for (const std::string& word : several) {
                goes_on = goes_on || so_far == word || so_far.ends_with(" " + word);
            }
            if (!goes_on || at + 1 >= line.size() || !is_word(line[at + 1])) {
                break;
            }
            ++at;
        } else {
            break;
        }
    }
    std::string type = line.substr(begin, at - begin);
    for (const std::string_view word : {"struct ", "class ", "const "}) {
        if (type.starts_with(word)) {
            type.erase(0, word.size());
        }
    }
    return !type.empty() && std::isdigit(static_cast<unsigned char>(type.front())) != 0 ? std::string()
                                                                                        : type;
}

/// The word `wanted` nearest to the column, at or before it first; npos: none.
std::size_t nearest_word(const std::string& line, const std::string& wanted, unsigned column) {
    std::size_t best = std::string::npos;
    for (std::size_t at = find_word(line, wanted); at != std::string::npos;
         at = find_word(line, wanted, at + 1)) {
        // Compilers give the column of `new` itself or of the token before it.
        if (best == std::string::npos || at < column) {
            best = at;
        }
    }
    return best;
}

source_type of_new(const std::string& line, std::size_t at) {
    at = skip_spaces(line, at + 3);
    if (at < line.size() && line[at] == '(') { // placement, std::nothrow, or a type in parentheses
        at = skip_spaces(line, skip_bracket(line, at));
    }
    source_type found{type_from(line, at), false};
    if (found.type.empty()) {
        return found;
    }
    std::size_t behind = line.find(found.type, at) + found.type.size();
    behind = skip_spaces(line, behind);
    while (behind < line.size() && line[behind] == '*') {
        found.type += '*';
        behind = skip_spaces(line, behind + 1);
    }
    found.is_array = behind < line.size() && line[behind] == '[';
    return found;
}

source_type of_malloc(const std::string& line) {
    source_type found;
    // sizeof(T) names the type exactly, but `sizeof(*p)` and `sizeof p` name a variable.
    const std::size_t size = line.find("sizeof(");
    if (size != std::string::npos) {
        found.type = type_from(line, size + 7);
        found.is_array = line.find('*') != std::string::npos && line.find("calloc") != std::string::npos;
    }
    return found;
}

} // namespace

source_type type_in_line(const std::string& line, unsigned column) {
    if (const std::size_t at = nearest_word(line, "new", column); at != std::string::npos) {
        return of_new(line, at);
    }
    for (const std::string maker : {"make_unique", "make_shared", "make_unique_for_overwrite"}) {
        const std::size_t at = nearest_word(line, maker, column);
        if (at == std::string::npos || at + maker.size() >= line.size() || line[at + maker.size()] != '<') {
            continue;
        }
        source_type found{type_from(line, at + maker.size() + 1), false};
        found.is_array = line.compare(at + maker.size() + 1 + found.type.size(), 2, "[]") == 0;
        return found;
    }
    if (line.find("alloc(") != std::string::npos) {
        return of_malloc(line);
    }
    return {};
}

std::optional<std::vector<std::string>> read_source(const std::string& file) {
    constexpr std::uintmax_t largest = 4 << 20;
    std::error_code error;
    if (file.empty() || !std::filesystem::is_regular_file(file, error) ||
        std::filesystem::file_size(file, error) > largest || error) {
        return std::nullopt;
    }
    std::ifstream in{file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(std::move(line));
    }
    return lines;
}

source_type source_types::type_at(const std::string& file, unsigned line, unsigned column) {
    const auto [place, is_new] = files_.try_emplace(file);
    std::vector<std::string>& lines = place->second;
    if (is_new) {
        lines = read_source(file).value_or(std::vector<std::string>{});
    }
    if (line == 0 || line > lines.size()) {
        return {};
    }
    return type_in_line(lines[line - 1], column);
}

} // namespace linn::tool
