// SPDX-License-Identifier: Apache-2.0
#include "../symbols/cxx_name.hpp"
#include "snippet.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace linn::tool {
namespace {

/// Where `struct` or `class` stands in the line that begins the class `word`; npos: it is another line.
std::size_t find_class(std::string_view code, std::string_view word) {
    const std::size_t name = find_word(code, word);
    if (name == std::string_view::npos ||
        code.substr(0, code.find('{')).find(';') != std::string_view::npos) {
        return std::string_view::npos;
    }
    std::size_t found = std::string_view::npos;
    for (const std::string_view keyword : {"struct", "class"}) {
        for (std::size_t at = find_word(code, keyword); at < name; at = find_word(code, keyword, at + 1)) {
            if (found == std::string_view::npos || at > found) {
                found = at;
            }
        }
    }
    // Between them an attribute or a macro may stand, but not the rest of another declaration.
    const bool is_its_own = found != std::string_view::npos &&
                            code.substr(found, name - found).find_first_of("<>{},") == std::string_view::npos;
    return is_its_own ? found : std::string_view::npos;
}

/// The head of a class, without other bases, with one base.
std::string with_base(const std::string& line, std::size_t keyword, const std::string& word,
                      const std::string& option) {
    const std::string_view code = code_of(line);
    const std::size_t end = find_word(code, word, keyword) + word.size();
    const std::string pooled = fmt::format(
        "{}linn::pooled<{}{}>", code.substr(keyword).starts_with("class") ? "public " : "", word, option);
    std::size_t brace = std::min(code.find('{', end), code.size());
    while (brace > end && code[brace - 1] == ' ') {
        --brace;
    }
    return line.substr(0, brace) + " : " + pooled + line.substr(brace);
}

/// Where the body of a class begins, whose name ends in the line `first` at `name_end`.
struct class_body {
    std::size_t line;  ///< index
    std::size_t brace; ///< in that line
    bool has_base;
};

std::optional<class_body> find_body(const std::vector<std::string>& lines, std::size_t first,
                                    std::size_t name_end) {
    constexpr std::size_t most_lines = 8;
    bool has_base = false;
    for (std::size_t at = first; at < std::min(lines.size(), first + most_lines); ++at) {
        const std::string_view code = code_of(lines[at]);
        const std::size_t from = at == first ? name_end : 0;
        const std::size_t brace = std::min(code.find('{', from), code.size());
        const std::string_view head = code.substr(from, brace - from);
        if (head.find(';') != std::string_view::npos || lines[at].size() > longest_line) {
            return std::nullopt;
        }
        has_base = has_base || head.find(':') != std::string_view::npos;
        if (brace != code.size()) {
            return class_body{at, brace, has_base};
        }
    }
    return std::nullopt;
}

/// The line in which the body of a class begins, with the operators of its pool.
std::string with_operators(const std::string& line, std::size_t brace, bool is_struct,
                           const std::string& word, const std::string& option) {
    const std::string pooled = fmt::format("linn::pooled<{}{}>", word, option);
    const std::string rest = trimmed(line.substr(brace + 1));
    return fmt::format(
        "{0}{1}\n"
        "+     static void* operator new(std::size_t bytes) {{ return {2}::operator new(bytes); }}\n"
        "+     static void* operator new(std::size_t, void* place) noexcept {{ return place; }}\n"
        "+     static void operator delete(void* block, std::size_t bytes) {{ {2}::operator delete(block, "
        "bytes); "
        "}}{3}{4}",
        line.substr(0, brace + 1), is_struct ? "" : "\n+ public:", pooled,
        is_struct ? "" : "\n+ private:", rest.empty() ? "" : "\n+ " + rest);
}

} // namespace

std::string class_snippet(const advised_type& type, const source_reader& sources) {
    const type_declaration& declared = type.named.declared;
    if (!is_users_class(type)) {
        return {};
    }
    const auto lines = sources(declared.file);
    if (!lines || declared.line == 0 || declared.line > lines->size()) {
        return {};
    }
    const std::string& line = (*lines)[declared.line - 1];
    const std::string word{last_component(type.name)};
    const std::size_t keyword = find_class(code_of(line), word);
    if (keyword == std::string_view::npos || line.size() > longest_line) {
        return {};
    }
    const std::size_t name_end = find_word(code_of(line), word, keyword) + word.size();
    const std::optional<class_body> body = find_body(*lines, declared.line - 1, name_end);
    if (!body) {
        return {};
    }
    // A further base takes the first place in the braces of an aggregate, and makes `operator new` ambiguous where another
    // base is pooled too. A template's would need its parameters, and that of a nested class its scope.
    const bool is_plain = !body->has_base && !declared.is_aggregate && !type.name.ends_with('>') &&
                          line[name_end - word.size() - 1] != ':';
    const std::string option = option_argument(type);
    const std::size_t changed = is_plain ? declared.line - 1 : body->line;
    const std::string& before = (*lines)[changed];
    return as_text("pooled.hpp",
                   changed_line{declared.file, changed + 1, before,
                                is_plain
                                    ? with_base(before, keyword, word, option)
                                    : with_operators(before, body->brace,
                                                     line.compare(keyword, 6, "struct") == 0, word, option)});
}

} // namespace linn::tool
