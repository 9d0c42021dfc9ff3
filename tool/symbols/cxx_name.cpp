// SPDX-License-Identifier: Apache-2.0
#include "cxx_name.hpp"

#include <cxxabi.h>
#ifdef LINN_HAS_LIBIBERTY
#define HAVE_DECL_BASENAME 1 // libiberty's own declaration contradicts that of <cstring>
#include <libiberty/demangle.h>
#endif

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <unordered_map>

namespace linn::tool {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

/// The length of "operator" and the sign behind it, where one stands at `at`; else 0. Of `operator new` and
/// conversions only the word.
std::size_t operator_length(std::string_view text, std::size_t at) {
    constexpr std::string_view word = "operator";
    if (text.substr(at, word.size()) != word || (at > 0 && is_word(text[at - 1]))) {
        return 0;
    }
    const std::string_view rest = text.substr(at + word.size());
    if (!rest.empty() && is_word(rest.front())) {
        return 0;
    }
    static constexpr std::array<std::string_view, 22> signs{"<=>", "<<=", ">>=", "->*", "()", "[]",
                                                            "->",  "<<",  ">>",  "<=",  ">=", "&&",
                                                            "||",  "==",  "!=",  "++",  "--", "<",
                                                            ">",   ",",   "(",   "["};
    for (const std::string_view sign : signs) {
        if (rest.starts_with(sign)) {
            return word.size() + sign.size();
        }
    }
    return word.size();
}

bool opens(char c) {
    return c == '<' || c == '(' || c == '[' || c == '{';
}

/// Calls `see(position)` for each character outside of brackets; `see` returns false to stop.
template <class See>
void outside_brackets(std::string_view text, See see) {
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t length = operator_length(text, at); length > 0) {
            at += length;
            continue;
        }
        if (!see(at)) {
            return;
        }
        at = opens(text[at]) ? skip_bracket(text, at) : at + 1;
    }
}

std::vector<std::string> split_list(std::string_view list) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    outside_brackets(list, [&](std::size_t at) {
        if (list[at] == ',') {
            parts.emplace_back(trimmed(list.substr(begin, at - begin)));
            begin = at + 1;
        }
        return true;
    });
    const std::string_view last = trimmed(list.substr(begin));
    if (!last.empty() || !parts.empty()) {
        parts.emplace_back(last);
    }
    return parts;
}

/// "name[abi:cxx11]" -> "name".
std::string without_tags(std::string_view id) {
    std::string out;
    for (std::size_t at = 0; at < id.size();) {
        if (id.substr(at).starts_with("[abi:")) {
            at = skip_bracket(id, at);
        } else {
            out += id[at++];
        }
    }
    return out;
}

bool is_unnamed_namespace(std::string_view id) {
    return id == "(anonymous namespace)" || id == "{anonymous}" || id == "(anonymous)" ||
           id == "_GLOBAL__N_1";
}

/// Whether a '<' here begins no arguments but a name: "<lambda(int)>".
bool begins_unnamed(std::string_view text, std::size_t at) {
    return text[at] == '<' && (at == 0 || !(is_word(text[at - 1]) || text[at - 1] == ']'));
}

/// A lambda's name as Clang gives it holds a path: only its last part is kept.
std::string short_lambda(std::string_view id) {
    if (id.starts_with("$_")) { // Clang's name for the code of one: they count from 0
        unsigned number = 0;
        std::from_chars(id.data() + 2, id.data() + id.size(), number);
        return "{lambda #" + std::to_string(number + 1) + "}";
    }
    constexpr std::string_view begin = "(lambda at ";
    if (!id.starts_with(begin)) {
        return std::string(id);
    }
    const std::size_t slash = id.rfind('/');
    return std::string(begin) + std::string(id.substr(slash == id.npos ? begin.size() : slash + 1));
}

name_part part_of(std::string_view text) {
    name_part part;
    std::string_view id = text;
    if (const std::size_t sign = operator_length(text, 0); sign > 0) {
        const std::string_view rest = trimmed(text.substr(sign));
        part.id = text;
        if (rest.starts_with('<')) {
            part.id = text.substr(0, sign);
            part.is_template = true;
            part.arguments = split_list(rest.substr(1, skip_bracket(rest, 0) - 2));
        }
        return part;
    }
    // The last arguments of this scope: a function's parameters may follow them, "f<int>(int)".
    outside_brackets(text, [&](std::size_t at) {
        if (text[at] == '<' && !begins_unnamed(text, at)) {
            const std::size_t end = skip_bracket(text, at);
            id = text.substr(0, at);
            part.is_template = true;
            part.arguments = split_list(text.substr(at + 1, end - at - 2));
        } else if (text[at] == '(' && at > 0 && text[at - 1] != ' ' && text[at - 1] != '!') {
            if (!part.is_template) {
                id = text.substr(0, at);
            }
            return false;
        }
        return true;
    });
    part.id = short_lambda(without_tags(trimmed(id)));
    return part;
}

std::string_view common_spelling(std::string_view type) {
    static constexpr std::array<std::array<std::string_view, 2>, 8> spellings{
        {{"long unsigned int", "unsigned long"},
         {"long int", "long"},
         {"short int", "short"},
         {"short unsigned int", "unsigned short"},
         {"long long int", "long long"},
         {"long long unsigned int", "unsigned long long"},
         {"unsigned", "unsigned int"},
         {"long unsigned", "unsigned long"}}};
    for (const auto& [other, common] : spellings) {
        if (type == other) {
            return common;
        }
    }
    return type;
}

bool is_default(const std::string& argument, const std::vector<std::string>& all) {
    if (argument.starts_with("std::allocator<")) {
        return true;
    }
    const std::string& first = all.front();
    for (const std::string_view name :
         {"less", "hash", "equal_to", "char_traits", "default_delete", "deque", "vector"}) {
        if (argument == "std::" + std::string(name) + "<" + first + ">") {
            return true;
        }
    }
    return false;
}

std::string joined(const std::vector<std::string>& arguments) {
    std::string out;
    for (const std::string& argument : arguments) {
        out += (out.empty() ? "" : ", ") + argument;
    }
    return out;
}

/// "basic_string<char>" -> "string"; empty where the template has no such short name.
std::string short_name(const std::string& id, const std::vector<std::string>& arguments) {
    constexpr std::string_view basic = "basic_";
    if (!id.starts_with(basic) || arguments.size() != 1) {
        return {};
    }
    static constexpr std::array<std::array<std::string_view, 2>, 5> prefixes{
        {{"char", ""}, {"wchar_t", "w"}, {"char8_t", "u8"}, {"char16_t", "u16"}, {"char32_t", "u32"}}};
    for (const auto& [type, prefix] : prefixes) {
        if (arguments.front() == type) {
            return std::string(prefix) + id.substr(basic.size());
        }
    }
    return {};
}

/// The usual name of a library's class: `json` for every nlohmann::basic_json. Empty: there is none.
std::string common_alias(const std::vector<name_part>& scopes, std::size_t at,
                         const std::vector<std::string>& arguments) {
    if (at != 1 || scopes[0].id != "nlohmann" || scopes[1].id != "basic_json" || !scopes[1].is_template) {
        return {};
    }
    return !arguments.empty() && arguments.front() == "nlohmann::ordered_map" ? "ordered_json" : "json";
}

/// Counts how deep a name is taken to pieces. No compiler goes as deep; a damaged file may.
class nesting {
public:
    nesting() { ++depth_; }
    nesting(const nesting&) = delete;
    nesting& operator=(const nesting&) = delete;
    ~nesting() { --depth_; }
    bool is_too_deep() const noexcept { return depth_ > 200; }

private:
    static inline thread_local unsigned depth_ = 0;
};

/// A type with brackets that are no arguments: a function's, an array's, decltype.
std::string readable_pieces(std::string_view text) {
    const auto readable = [](std::string_view part) {
        return part.empty() || part.front() == '*' || part.front() == '&' ? std::string(part)
                                                                          : readable_type(part);
    };
    std::string out;
    std::size_t begin = 0;
    outside_brackets(text, [&](std::size_t at) {
        if (text[at] == '(') {
            const std::size_t end = skip_bracket(text, at);
            std::vector<std::string> inside = split_list(text.substr(at + 1, end - at - 2));
            for (std::string& part : inside) {
                part = readable(part);
            }
            const std::string_view before = trimmed(text.substr(begin, at - begin));
            const bool is_pointer = !inside.empty() && inside.front().find_first_of("*&") == 0;
            out += readable(before) + (is_pointer && !before.empty() ? " (" : "(") + joined(inside) + ")";
            begin = end;
        }
        return true;
    });
    return out + std::string(text.substr(begin));
}

/// Whether parentheses outside of arguments belong to a type's shape, and not to a scope such as "f(int)::local".
bool is_function_type(std::string_view type) {
    bool found = false;
    outside_brackets(type, [&](std::size_t at) {
        if (type[at] == '(' && !type.substr(at).starts_with("(anonymous") &&
            !type.substr(at).starts_with("(lambda at ")) {
            const std::string_view rest = type.substr(skip_bracket(type, at));
            found = !rest.starts_with("::") && !rest.starts_with(" const::") && !rest.starts_with("#");
            return !found;
        }
        return true;
    });
    return found;
}

/// Inline namespaces that only say the version of a binary interface: std::__cxx11, nlohmann::json_abi_v3_11_2,
/// absl::lts_20220623.
bool is_inline_namespace(std::string_view id, bool is_of_std) {
    if (is_of_std) {
        return id == "__cxx11" || id == "__1" || id == "__ndk1" || id == "_V2";
    }
    return id.starts_with("lts_2") || id.find("_abi_v") != id.npos;
}

/// The name of a symbol of Rust or D; empty: it is none.
std::string demangle_other_language([[maybe_unused]] const std::string& mangled) {
#ifdef LINN_HAS_LIBIBERTY
    const std::unique_ptr<char, void (*)(void*)> text(
        ::cplus_demangle(mangled.c_str(), DMGL_PARAMS | (mangled.starts_with("_D") ? DMGL_DLANG : DMGL_RUST)),
        std::free);
    return text != nullptr ? text.get() : std::string();
#else
    return {};
#endif
}

} // namespace

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word(text[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end >= text.size() || !is_word(text[end]))) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::size_t skip_bracket(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        if (const std::size_t length = operator_length(text, at); length > 0 && depth > 0) {
            at += length;
            continue;
        }
        const char c = text[at];
        if (opens(c)) {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (at == 0 || text[at - 1] != '-'))) {
            if (--depth == 0) {
                return at + 1;
            }
        }
        ++at;
    }
    return text.size();
}

std::string demangle_type(std::string mangled) {
    if (mangled.starts_with('*')) { // of a type whose name is not unique among modules
        mangled.erase(0, 1);
    }
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text != nullptr ? text.get() : mangled;
}

std::string demangle(const std::string& mangled) {
    const bool may_be_cxx = mangled.starts_with("_Z");
    if (may_be_cxx || mangled.starts_with("_R") || mangled.starts_with("_D")) {
        if (std::string name = demangle_other_language(mangled); !name.empty()) {
            return name;
        }
    }
    // What is not mangled for certain can look like a type's code: a C function named "f".
    if (!may_be_cxx) {
        return mangled;
    }
    return demangle_type(mangled);
}

std::string without_parameters(std::string_view demangled) {
    if (const std::size_t clone = demangled.find(" [clone"); clone != demangled.npos) {
        demangled = demangled.substr(0, clone);
    }
    std::size_t end = demangled.size();
    std::size_t begin = 0;
    bool in_operator = false;
    outside_brackets(demangled, [&](std::size_t at) {
        if (demangled[at] == '(') {
            const std::string_view rest = demangled.substr(skip_bracket(demangled, at));
            const bool is_scope = rest.starts_with("::") || rest.starts_with(" const::") ||
                                  demangled.substr(at).starts_with("(anonymous namespace)") ||
                                  rest.starts_with("[abi:") || rest.starts_with("#") ||
                                  rest.starts_with(".") || // of a template of D: "foo!(int).foo"
                                  demangled.substr(0, at).ends_with("decltype");
            if (!is_scope) {
                end = at;
                return false;
            }
        } else if (demangled[at] == ' ') {
            // A space ends the return type, but not in "operator new", "operator unsigned long", "f() const::x".
            const std::string_view before = demangled.substr(begin, at - begin);
            const std::size_t word = before.rfind("operator");
            in_operator = in_operator || (word != before.npos && word + 8 == before.size() &&
                                          (word == 0 || !is_word(before[word - 1])));
            const std::string_view rest = demangled.substr(at);
            if (!in_operator && !rest.starts_with(" const::") && !rest.starts_with(" <")) {
                begin = at + 1;
            }
        }
        return true;
    });
    return std::string(trimmed(demangled.substr(begin, end - begin)));
}

std::vector<name_part> scopes_of(std::string_view name) {
    std::vector<name_part> scopes;
    std::size_t begin = 0;
    const auto take = [&](std::size_t end) {
        std::string_view text = trimmed(name.substr(begin, end - begin));
        if (text.starts_with("const::")) {
            text.remove_prefix(7);
        }
        if (text.ends_with(" const")) {
            text.remove_suffix(6);
        }
        if (text.empty() || is_unnamed_namespace(text)) {
            return;
        }
        name_part part = part_of(text);
        // A namespace that is inline is never the first, nor the last part of a name.
        const bool is_inner = scopes.size() == 1 && end < name.size() && !part.is_template;
        if (!is_inner || !is_inline_namespace(part.id, scopes.front().id == "std")) {
            scopes.push_back(std::move(part));
        }
    };
    outside_brackets(name, [&](std::size_t at) {
        if (at >= begin && name.substr(at).starts_with("::")) {
            take(at);
            begin = at + 2;
        }
        return true;
    });
    take(name.size());
    return scopes;
}

std::string plain_name(const std::vector<name_part>& scopes) {
    std::string out;
    for (const name_part& part : scopes) {
        out += (out.empty() ? "" : "::") + part.id;
    }
    return out;
}

std::string readable_name(const std::vector<name_part>& scopes) {
    std::string out;
    const bool standard = scopes.size() > 1 && scopes.front().id == "std";
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        const name_part& part = scopes[i];
        std::string id = part.id;
        std::vector<std::string> arguments;
        for (const std::string& argument : part.arguments) {
            arguments.push_back(readable_type(argument));
        }
        std::string space;
        if (standard && i == 1 && arguments.size() > 1 && !part.id.starts_with('_')) {
            if (arguments.back().starts_with("std::pmr::polymorphic_allocator<")) {
                arguments.pop_back();
                space = "pmr::";
            }
            while (arguments.size() > 1 && is_default(arguments.back(), arguments)) {
                arguments.pop_back();
            }
        } else if (!standard && arguments.size() > 1 &&
                   arguments.back() == "std::allocator<" + arguments.front() + ">") {
            arguments.pop_back(); // what everybody's containers have by default
        }
        const std::string name =
            standard && i == 1 ? short_name(id, arguments) : common_alias(scopes, i, arguments);
        if (!name.empty()) {
            id = name;
            arguments.clear();
        }
        out += (i == 0 ? "" : "::") + space + id;
        if (!arguments.empty()) {
            out += "<" + joined(arguments) + ">";
        } else if (part.is_template && part.arguments.empty() && name.empty()) {
            out += "<>";
        }
    }
    return out;
}

namespace {

std::string make_readable(std::string_view type) {
    type = trimmed(type);
    std::string suffix;
    bool is_const = false;
    while (!type.empty()) {
        if (type.back() == '*' || type.back() == '&') {
            if (is_const) {
                suffix = " const" + suffix;
            }
            is_const = false;
            suffix = type.back() + suffix;
            type.remove_suffix(1);
        } else if (type.ends_with(" const")) {
            is_const = true;
            type.remove_suffix(6);
        } else if (type.ends_with(" volatile")) {
            suffix = " volatile" + suffix;
            type.remove_suffix(9);
        } else {
            break;
        }
        type = trimmed(type);
    }
    if (type.starts_with("const ")) {
        is_const = true;
        type = trimmed(type.substr(6));
    }
    for (const std::string_view tag : {"struct ", "class ", "enum "}) {
        if (type.starts_with(tag)) {
            type.remove_prefix(tag.size());
        }
    }
    std::string array;
    while (type.ends_with("]") && type.find("[abi:") == type.npos) {
        const std::size_t open = type.rfind('[');
        if (open == type.npos) {
            break;
        }
        array = std::string(type.substr(open)) + array;
        type = trimmed(type.substr(0, open));
    }
    std::string core;
    if (is_function_type(type)) {
        core = readable_pieces(type);
    } else if (!type.empty() && (type.front() >= '0' && type.front() <= '9')) {
        while (!type.empty() && (type.back() == 'u' || type.back() == 'l')) {
            type.remove_suffix(1);
        }
        core = type;
    } else {
        core = readable_name(scopes_of(common_spelling(type)));
    }
    return (is_const ? "const " : "") + core + array + suffix;
}

} // namespace

std::string readable_type(std::string_view type) {
    // A program has few types on many stacks.
    static thread_local std::unordered_map<std::string, std::string> known;
    const std::string key{type};
    if (const auto found = known.find(key); found != known.end()) {
        return found->second;
    }
    const nesting here;
    return here.is_too_deep() ? key : known[key] = make_readable(type);
}

std::vector<std::string> template_arguments(std::string_view type) {
    const std::vector<name_part> scopes = scopes_of(type);
    return scopes.empty() ? std::vector<std::string>() : scopes.back().arguments;
}

std::string_view without_qualifiers(std::string_view type) {
    type = trimmed(type);
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view end : {"&", " const", " volatile"}) {
            if (type.ends_with(end)) {
                type = trimmed(type.substr(0, type.size() - end.size()));
                again = true;
            }
        }
        for (const std::string_view begin : {"const ", "volatile "}) {
            if (type.starts_with(begin) && !type.ends_with('*')) { // otherwise it is the pointed-to type's
                type = trimmed(type.substr(begin.size()));
                again = true;
            }
        }
    }
    return type;
}

} // namespace linn::tool
