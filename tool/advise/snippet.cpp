// SPDX-License-Identifier: Apache-2.0
#include "snippet.hpp"

#include "container_kind.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_source = 4 << 20;
constexpr std::size_t longest_line = 400;

/// A line of the user's, and what it becomes.
struct changed_line {
    std::string file;
    std::size_t number = 0; ///< from 1
    std::string before;
    std::string after;
};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Where a word stands in a line, as a word; npos: nowhere.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t from = 0) {
    for (std::size_t at = line.find(word, from); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word(line[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end >= line.size() || !is_word(line[end])))
            return at;
    }
    return std::string_view::npos;
}

/// What stands before a comment.
std::string_view code_of(std::string_view line) {
    return line.substr(0, std::min(line.find("//"), line.size()));
}

/// The line with `std::NAME<` or `NAME<` as `linn::NAME<`, if it mentions the element as well.
std::optional<std::string> with_linn(const std::string& line, std::string_view name,
                                     std::string_view element) {
    const std::string_view code = code_of(line);
    const std::size_t at = find_word(code, name);
    if (at == std::string_view::npos || at + name.size() >= code.size() || code[at + name.size()] != '<')
        return std::nullopt;
    if (!element.empty() && find_word(code, element, at) == std::string_view::npos)
        return std::nullopt;
    constexpr std::string_view std_prefix = "std::";
    const bool is_qualified =
        at >= std_prefix.size() && code.substr(at - std_prefix.size(), std_prefix.size()) == std_prefix;
    if (!is_qualified && at >= 2 && code.substr(at - 2, 2) == "::")
        return std::nullopt; // of another namespace
    const std::size_t begin = is_qualified ? at - std_prefix.size() : at;
    return line.substr(0, begin) + "linn::" + line.substr(at);
}

/// The nearest line to the place, upwards first, that `change` can change.
template <class Change>
std::optional<changed_line> nearest(const advised_type& type, const source_reader& sources, Change change) {
    for (const advised_place& place : type.places) {
        const auto lines = sources(place.frame.file);
        if (!lines)
            continue;
        const std::size_t here = std::min<std::size_t>(place.frame.line, lines->size());
        for (std::size_t step = 0; step <= lines->size(); ++step)
            for (const std::size_t number : {here - step, here + step}) {
                if (number == 0 || number > lines->size() || (step == 0 && number != here))
                    continue; // a number below zero has wrapped round
                const std::string& line = (*lines)[number - 1];
                if (line.size() > longest_line)
                    continue;
                if (const std::optional<std::string> after = change(line))
                    return changed_line{place.frame.file, number, line, *after};
            }
    }
    return std::nullopt;
}

std::string trimmed(std::string text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    text.erase(0, std::min(begin, text.size()));
    return text;
}

std::string as_text(const std::string& header, const std::optional<changed_line>& change,
                    const std::string& before, const std::string& after) {
    std::string text;
    if (change)
        text += fmt::format("@@ {}:{}\n", fs::path{change->file}.filename().string(), change->number);
    if (!header.empty())
        text += fmt::format("+ #include <linn/{}>\n", header);
    if (change)
        return text + fmt::format("- {}\n+ {}\n", trimmed(change->before), trimmed(change->after));
    return text + before + after;
}

/// The element's name to look for in a line: the last word of the first template argument.
std::string element_word(const std::string& container) {
    const std::size_t begin = container.find('<');
    if (begin == std::string::npos)
        return {};
    std::string argument = container.substr(begin + 1);
    // For a map the value says more than the key.
    std::size_t depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i != argument.size(); ++i) {
        if (argument[i] == '<')
            ++depth;
        if (argument[i] == '>' && depth-- == 0) {
            argument.resize(i);
            break;
        }
        if (argument[i] == ',' && depth == 0)
            from = i + 1;
    }
    std::string word = trimmed(argument.substr(from));
    while (!word.empty() && !is_word(word.back()) && word.back() != '>')
        word.pop_back();
    return std::string{last_component(word)};
}

std::string container_snippet(const advised_type& type, const source_reader& sources) {
    const std::string name{std_template(type.container)};
    const std::string element = element_word(type.container);
    const auto change =
        nearest(type, sources, [&](const std::string& line) { return with_linn(line, name, element); });
    return as_text("containers.hpp", change, fmt::format("- {} name;\n", type.container),
                   fmt::format("+ {} name;\n", type.part));
}

std::string maker_snippet(const advised_type& type, const source_reader& sources, std::string_view maker) {
    constexpr std::string_view block = "control block of ";
    std::string element = type.name.starts_with(block) ? type.name.substr(block.size()) : type.name;
    const std::string word{last_component(element)};
    const auto change =
        nearest(type, sources, [&](const std::string& line) { return with_linn(line, maker, word); });
    const bool is_block = type.name.starts_with(block);
    const std::string before = is_block ? fmt::format("- std::shared_ptr<{0}> p{{new {0}(...)}};\n", element)
                                        : fmt::format("- auto p = std::{}<{}>(...);\n", maker, element);
    return as_text("memory.hpp", change, before,
                   fmt::format("+ auto p = linn::{}<{}>(...);\n", maker, element));
}

std::string overwrite_snippet(const advised_type& type, const source_reader& sources) {
    const container_kind kind = kind_of(type.named);
    const std::string maker = kind == container_kind::shared_ptr ? "make_shared" : "make_unique";
    const auto change = nearest(type, sources, [&](const std::string& line) -> std::optional<std::string> {
        const std::string_view code = code_of(line);
        const std::size_t at = find_word(code, maker);
        if (at == std::string_view::npos)
            return std::nullopt;
        return line.substr(0, at) + maker + "_for_overwrite" + line.substr(at + maker.size());
    });
    if (kind == container_kind::shared_ptr || kind == container_kind::unique_ptr)
        return as_text("", change, fmt::format("- auto p = std::{}<{}>();\n", maker, type.name),
                       fmt::format("+ auto p = std::{}_for_overwrite<{}>();\n", maker, type.name));
    if (kind == container_kind::array)
        return fmt::format("- std::vector<{0}> v(n);\n+ auto v = std::make_unique_for_overwrite<{0}[]>(n);\n",
                           type.name);
    return fmt::format("- new {0}()\n+ new {0}\n", type.name);
}

std::string class_snippet(const advised_type& type, const source_reader& sources) {
    const std::string word{last_component(type.name)};
    const auto change = nearest(type, sources, [&](const std::string& line) -> std::optional<std::string> {
        const std::string_view code = code_of(line);
        for (const std::string_view keyword : {"struct", "class"}) {
            const std::size_t at = find_word(code, keyword);
            const std::size_t name = find_word(code, word);
            if (at == std::string_view::npos || name == std::string_view::npos || name < at ||
                code.find_first_not_of(" \t", at + keyword.size()) != name ||
                code.find(';') != std::string_view::npos)
                continue;
            const std::size_t end = name + word.size();
            const std::size_t base = code.find(':', end);
            const std::string pooled =
                fmt::format("{}linn::pooled<{}>", keyword == "class" ? "public " : "", word);
            if (base != std::string_view::npos)
                return line.substr(0, base + 1) + " " + pooled + "," + line.substr(base + 1);
            std::size_t brace = std::min(code.find('{', end), code.size());
            while (brace > end && code[brace - 1] == ' ')
                --brace;
            return line.substr(0, brace) + " : " + pooled + line.substr(brace);
        }
        return std::nullopt;
    });
    return as_text("pooled.hpp", change, fmt::format("- struct {} {{\n", word),
                   fmt::format("+ struct {0} : linn::pooled<{0}> {{\n", word));
}

} // namespace

source_reader read_sources() {
    return [](const std::string& file) -> std::optional<std::vector<std::string>> {
        std::error_code error;
        if (file.empty() || !fs::is_regular_file(file, error) ||
            fs::file_size(file, error) > largest_source || error)
            return std::nullopt;
        std::ifstream in{file};
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);)
            lines.push_back(std::move(line));
        return lines;
    };
}

std::string snippet_for(const advised_type& type, const source_reader& sources) {
    switch (type.what) {
    case remedy::pooled_container:
        return container_snippet(type, sources);
    case remedy::pool_allocator:
        return fmt::format(
            "+ #include <linn/allocator.hpp>\n- {}\n+ the same with {} as its allocator argument\n",
            type.container, type.part);
    case remedy::make_shared:
        return maker_snippet(type, sources, "make_shared");
    case remedy::for_overwrite:
        return overwrite_snippet(type, sources);
    case remedy::recycler:
        return fmt::format("+ #include <linn/recycler.hpp>\n"
                           "+ linn::recycler<{0}> recycled{{{{.reset = []({0}& o) {{ o.clear(); }}}}}};\n"
                           "- auto p = std::make_shared<{0}>(...);\n"
                           "+ auto p = recycled.acquire_shared();\n",
                           type.name);
    case remedy::buffer_pool:
        return fmt::format("+ #include <linn/buffer_pool.hpp>\n+ linn::buffer_pool buffers{{{}}};\n"
                           "+ linn::buffer b = buffers.acquire();\n",
                           type.statistics.largest);
    case remedy::pool_resource:
        return "+ #include <linn/memory_resource.hpp>\n+ linn::pool_resource resource;\n"
               "+ std::pmr::vector<...> v{&resource};\n";
    case remedy::pooled_class:
        if (type.rule == "make-unique")
            return maker_snippet(type, sources, "make_unique");
        if (type.rule == "class")
            return class_snippet(type, sources);
        return fmt::format("+ #include <linn/pool.hpp>\n+ auto* p = {0}::create(...);\n+ {0}::destroy(p);\n",
                           type.part);
    case remedy::reserve:
        return type.rule == "growth" && type.part == "reserve()" ? "+ c.reserve(n); // before it is filled\n"
                                                                 : "";
    case remedy::nothing:
    case remedy::other_allocator:
        break;
    }
    return {};
}

} // namespace linn::tool
