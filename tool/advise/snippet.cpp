// SPDX-License-Identifier: Apache-2.0
#include "../symbols/call_chain.hpp"
#include "../symbols/cxx_name.hpp"
#include "advice.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

constexpr std::size_t longest_line = 400; // of the source; a longer one is not shown

/// A line of the user's, and what it becomes.
struct changed_line {
    std::string file;
    std::size_t number = 0; ///< from 1
    std::string before;
    std::string after;
};

/// What stands before a comment.
std::string_view code_of(std::string_view line) {
    return line.substr(0, std::min(line.find("//"), line.size()));
}

/// Without spaces in front.
std::string trimmed(std::string text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    text.erase(0, std::min(begin, text.size()));
    return text;
}

/// The change of a line, and what stands in front of it; or a form where no line is known.
std::string as_text(const std::string& header, const std::optional<changed_line>& change,
                    const std::string& form = {}) {
    std::string text;
    if (change) {
        text += fmt::format("@@ {}:{}\n", std::filesystem::path{change->file}.filename().string(),
                            change->number);
    }
    if (!header.empty()) {
        text += fmt::format("+ #include <linn/{}>\n", header);
    }
    text += form;
    if (change) {
        text += fmt::format("- {}\n+ {}\n", trimmed(change->before), trimmed(change->after));
    }
    return text;
}

/// The option for huge pages as one more argument of a template; empty where none is wanted.
std::string option_argument(const advised_type& type) {
    return type.wants_huge_pages ? fmt::format(", {}", huge_pages_option) : std::string{};
}

/// A type without scopes, `const` and blanks, so that what a user wrote equals what the debug information has. `int` is left
/// away too: it is optional in "unsigned int".
std::string comparable(std::string_view type) {
    std::string text;
    while (!type.empty()) {
        const auto* const end = std::ranges::find_if_not(type, is_word);
        const std::string_view word{type.begin(), std::max(end, type.begin() + 1)};
        type.remove_prefix(word.size());
        if (type.starts_with("::")) {
            type.remove_prefix(2);
            continue;
        }
        if (word == "size_t" || word == "uint64_t") {
            text += "unsignedlong";
        } else if (word != " " && word != "const" && word != "int") {
            text += word;
        }
    }
    return text;
}

/// The line with `std::NAME<ARGUMENTS>` or `NAME<ARGUMENTS>` as `linn::NAME<ARGUMENTS>`, if it names that type.
std::optional<std::string> with_linn(const std::string& line, const std::string& type) {
    const std::string_view code = code_of(line);
    const std::string_view name = last_component(type);
    constexpr std::string_view std_prefix = "std::";
    for (std::size_t at = find_word(code, name); at != std::string_view::npos;
         at = find_word(code, name, at + 1)) {
        const std::size_t end = at + name.size() == code.size() ? at : skip_bracket(code, at + name.size());
        if (comparable(code.substr(at, end - at)) != comparable(type) || code.substr(end, 2) == "::") {
            continue;
        }
        const bool is_qualified = code.substr(0, at).ends_with(std_prefix);
        if (is_qualified || !code.substr(0, at).ends_with("::")) { // not of another namespace
            return line.substr(0, is_qualified ? at - std_prefix.size() : at) + "linn::" + line.substr(at);
        }
    }
    return std::nullopt;
}

/// The nearest line to the place, upwards first, that `change` can change.
template <class Change>
std::optional<changed_line> nearest(const advised_type& type, const source_reader& sources, Change change) {
    for (const advised_place& place : type.places) {
        const auto lines = is_system_file(place.frame.file) ? std::nullopt : sources(place.frame.file);
        if (!lines) {
            continue;
        }
        const std::size_t here = std::min<std::size_t>(place.frame.line, lines->size());
        for (std::size_t step = 0; step <= lines->size(); ++step) {
            for (const std::size_t number : {here - step, here + step}) {
                if (number == 0 || number > lines->size() || (step == 0 && number != here)) {
                    continue; // a number below zero has wrapped round
                }
                const std::string& line = (*lines)[number - 1];
                if (line.size() > longest_line) {
                    continue;
                }
                if (const std::optional<std::string> after = change(line)) {
                    return changed_line{place.frame.file, number, line, *after};
                }
            }
        }
    }
    return std::nullopt;
}

/// The option for a type everywhere, where the call has no place for it; empty where none is wanted.
std::string option_of_type(const advised_type& type, const std::string& element) {
    return type.wants_huge_pages
               ? fmt::format("+ template <> // after the class, before its first use\n"
                             "+ inline constexpr linn::pool_options linn::default_options<{}>{};\n",
                             element, huge_pages_option)
               : std::string{};
}

/// "linn::pool<Order>" with an argument more.
std::string with_option(const std::string& part, const std::string& option) {
    return part.ends_with('>') ? part.substr(0, part.size() - 1) + option + '>' : part;
}

std::string container_snippet(const advised_type& type, const source_reader& sources) {
    const auto change =
        nearest(type, sources, [&](const std::string& line) { return with_linn(line, type.container); });
    return change ? as_text("containers.hpp", change) : std::string{};
}

std::string make_shared_snippet(const advised_type& type, const source_reader& sources) {
    constexpr std::string_view block = "control block of ";
    const bool is_block = type.name.starts_with(block);
    const std::string element = is_block ? type.name.substr(block.size()) : type.name;
    const auto change = nearest(type, sources, [&](const std::string& line) {
        return is_block ? std::nullopt : with_linn(line, fmt::format("make_shared<{}>", element));
    });
    const std::string option = option_of_type(type, element);
    if (change) {
        return as_text("memory.hpp", change, option);
    }
    if (!is_users_class(type)) {
        return {};
    }
    const std::string before = is_block ? fmt::format("- std::shared_ptr<{0}> p{{new {0}(...)}};\n", element)
                                        : fmt::format("- auto p = std::make_shared<{}>(...);\n", element);
    return as_text("memory.hpp", {},
                   option + before + fmt::format("+ auto p = linn::make_shared<{}>(...);\n", element));
}

std::string allocator_snippet(const advised_type& type) {
    const std::string& taker = type.named.takes_allocator;
    const std::string linn = type.wants_huge_pages ? "huge_page_allocator" : "linn::allocator";
    std::string list;
    for (const std::string& argument : template_arguments(taker)) {
        const bool is_allocator = plain_name(scopes_of(argument)) == "std::allocator";
        list += list.empty() ? "" : ", ";
        list += is_allocator ? linn + argument.substr(std::string_view{"std::allocator"}.size()) : argument;
    }
    const std::string alias =
        fmt::format("+ template <class T>\n"
                    "+ using huge_page_allocator = linn::allocator<T, std::allocator<T>, {}>;\n",
                    huge_pages_option);
    return fmt::format("+ #include <linn/allocator.hpp>\n{}+ using pooled_{} = {}<{}>;\n",
                       type.wants_huge_pages ? alias : "", last_component(taker), plain_type(taker), list);
}

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

/// The change that gives a class of the user's a pool, at its declaration as the debug information has it. Empty: the class is
/// not the user's, or its declaration cannot be read.
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

} // namespace

std::string snippet_for(const advised_type& type, const source_reader& sources) {
    if (type.named.is_c) {
        return {};
    }
    switch (type.what) {
    case remedy::pooled_container:
        return container_snippet(type, sources);
    case remedy::pool_allocator:
        return allocator_snippet(type);
    case remedy::make_shared:
        return make_shared_snippet(type, sources);
    case remedy::recycler:
        return !is_users_class(type)
                   ? std::string{}
                   : fmt::format(
                         "+ #include <linn/recycler.hpp>\n"
                         "+ linn::recycler<{0}> recycled{{{{.reset = []({0}& o) {{ /* empty it */ }}}}}};\n"
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
        if (type.rule == "make-unique" && !is_users_class(type)) {
            return fmt::format("+ #include <linn/memory.hpp>\n"
                               "- std::unique_ptr<{0}> p = std::make_unique<{0}>(...);\n"
                               "+ linn::unique_ptr<{0}> p = linn::make_unique<{0}>(...);\n",
                               type.name);
        }
        if (type.rule == "make-unique" || type.rule == "class") {
            return class_snippet(type, sources);
        }
        if (!is_users_class(type)) {
            return {};
        }
        return fmt::format("+ #include <linn/pool.hpp>\n+ auto* p = {0}::create(...);\n+ {0}::destroy(p);\n",
                           with_option(type.use.text, option_argument(type)));
    case remedy::reserve:
        return type.rule == "growth" && type.use.name == "reserve()"
                   ? "+ c.reserve(n); // before it is filled\n"
                   : "";
    case remedy::nothing:
    case remedy::other_allocator:
    case remedy::linn_pools:
        break;
    }
    return {};
}

} // namespace linn::tool
