// SPDX-License-Identifier: Apache-2.0
#include "cxx_name.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace linn::tool {
namespace {

constexpr std::string_view dots = "...";

/// The arguments of one template in a name.
struct argument_list {
    std::size_t begin; ///< behind '<'
    std::size_t end;   ///< of '>'
    std::size_t depth; ///< 1: of no other list
};

/// All lists of a text, in the order in which they close. What does not close is none.
std::vector<argument_list> lists_of(std::string_view text) {
    std::vector<argument_list> lists;
    std::vector<std::size_t> open; // where what is open begins; its sign stands before it
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool begins = c == '<' && i > 0 && (is_word(text[i - 1]) || text[i - 1] == ']');
        if (begins || c == '(' || c == '[' || c == '{') {
            open.push_back(i + 1);
            depth += begins ? 1 : 0;
        } else if (c == '>' && text[i == 0 ? 0 : i - 1] != '-') {
            // Comparisons and shifts among the arguments stand in parentheses, as compilers print them.
            if (open.empty() || text[open.back() - 1] != '<') {
                continue;
            }
            lists.push_back({open.back(), i, depth--});
            open.pop_back();
        } else if (c == ')' || c == ']' || c == '}') {
            while (!open.empty() && text[open.back() - 1] == '<') { // never closed
                open.pop_back();
                --depth;
            }
            if (!open.empty()) {
                open.pop_back();
            }
        }
    }
    return lists;
}

/// The longest of the deepest lists, of at least this depth, becomes "..."; false: there is none.
bool elide_innermost(std::string& text, std::size_t least_depth) {
    const std::vector<argument_list> lists = lists_of(text);
    const argument_list* best = nullptr;
    for (const argument_list& one : lists) {
        if (one.depth >= least_depth && one.end - one.begin > dots.size() &&
            (best == nullptr || one.depth > best->depth ||
             (one.depth == best->depth && one.end - one.begin > best->end - best->begin))) {
            best = &one;
        }
    }
    if (best == nullptr) {
        return false;
    }
    text.replace(best->begin, best->end - best->begin, dots);
    return true;
}

/// The begin of the qualified name that ends before `at`: "a::b" of "x<a::b".
std::size_t begin_of_name(std::string_view text, std::size_t at) {
    while (at > 0 && (is_word(text[at - 1]) || text[at - 1] == ':')) {
        --at;
    }
    return at;
}

/// Takes the namespaces off the names from `from` on.
void drop_namespaces(std::string& text, std::size_t from) {
    for (std::size_t at = text.rfind("::"); at != text.npos && at >= from;
         at = at == 0 ? text.npos : text.rfind("::", at - 1)) {
        const std::size_t begin = std::max(begin_of_name(text, at), from);
        if (begin < at) { // otherwise it is behind arguments: "a<b>::c"
            text.erase(begin, at + 2 - begin);
            at = begin;
        }
    }
}

} // namespace

std::string short_type(std::string_view type, std::size_t width) {
    std::string text(type);
    while (text.size() > width && elide_innermost(text, 2)) {
    }
    if (const std::size_t open = text.find('<'); text.size() > width && open != text.npos) {
        drop_namespaces(text, open + 1);
    }
    while (text.size() > width && elide_innermost(text, 1)) {
    }
    if (text.size() > width) {
        drop_namespaces(text, 0);
    }
    if (text.size() > width) {
        text = width <= dots.size() ? text.substr(0, width)
                                    : text.substr(0, width - dots.size()) + std::string(dots);
    }
    return text;
}

std::vector<std::string> short_types(const std::vector<std::string>& types, std::size_t width) {
    std::vector<std::string> out;
    std::map<std::string, std::set<std::string>> meant; // by the short name
    std::map<std::string, std::string> taken;           // the owner of each name in the table
    for (const std::string& type : types) {
        out.push_back(short_type(type, width));
        meant[out.back()].insert(type);
        taken.emplace(out.back(), out.back()); // no long type owns it
    }
    for (std::size_t i = 0; i != types.size(); ++i) {
        const std::string& type = types[i];
        if (meant[out[i]].size() == 1 || type.size() <= width || width <= dots.size()) {
            continue;
        }
        // Names that are alike when short are told apart by their ends, or otherwise by numbers. Words before the type stay.
        const std::size_t head = std::min(type.rfind(' ', type.find('<')) + 1, width / 3);
        const std::string ending =
            type.substr(0, head) + std::string(dots) + type.substr(type.size() - width + head + dots.size());
        out[i] = ending;
        for (unsigned number = 2; taken.try_emplace(out[i], type).first->second != type; ++number) {
            const std::string mark = " #" + std::to_string(number);
            out[i] = ending.substr(0, width - std::min(width, mark.size())) + mark;
        }
    }
    return out;
}

std::string template_family(std::string_view type) {
    std::string family;
    for (std::size_t at = 0; at < type.size();) {
        const bool begins = type[at] == '<' && at > 0 && is_word(type[at - 1]);
        const std::size_t name = begins ? begin_of_name(family, family.size()) : 0;
        if (begins && !std::string_view(family).substr(name).starts_with("std::")) {
            family += "<...>";
            at = skip_bracket(type, at);
        } else {
            family += type[at++];
        }
    }
    return family;
}

} // namespace linn::tool
