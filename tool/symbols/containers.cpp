// SPDX-License-Identifier: Apache-2.0
#include "call_chain.hpp"
#include "cxx_name.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace linn::tool {
namespace {

std::string argument(const std::vector<std::string>& arguments, std::size_t index) {
    return index < arguments.size() ? arguments[index] : std::string();
}

/// libc++ keeps a map's pair in a type of its own.
bool is_value_type(const std::string& name) {
    return name == "std::__value_type" || name == "std::__hash_value_type";
}

/// "pair<const K, V>" -> "K, V"; the type itself where it is no such pair.
std::string key_and_value(const std::string& pair) {
    const std::vector<name_part> scopes = scopes_of(pair);
    const std::string name = plain_name(scopes);
    if (name != "std::pair" && !is_value_type(name)) {
        return pair;
    }
    const std::vector<std::string>& arguments = scopes.back().arguments;
    return std::string(without_qualifiers(argument(arguments, 0))) + ", " + argument(arguments, 1);
}

bool is_map_value(const std::string& value) {
    const std::vector<name_part> scopes = scopes_of(value);
    const std::string name = plain_name(scopes);
    return is_value_type(name) ||
           (name == "std::pair" && readable_type(argument(scopes.back().arguments, 0)).starts_with("const "));
}

std::string plain_value(const std::string& value) {
    const std::vector<name_part> scopes = scopes_of(value);
    if (!is_value_type(plain_name(scopes))) {
        return readable_type(value);
    }
    return "std::pair<const " + readable_type(argument(scopes.back().arguments, 0)) + ", " +
           readable_type(argument(scopes.back().arguments, 1)) + ">";
}

named_type node(const std::string& value, std::string container) {
    named_type out;
    out.type = plain_value(value);
    out.container = std::move(container);
    return out;
}

named_type counted(const std::string& object, bool is_control_block) {
    named_type out;
    std::string pointee = readable_type(object);
    if (is_control_block && pointee.ends_with("*")) {
        pointee.pop_back();
    }
    out.type = is_control_block ? "control block of " + pointee : pointee;
    out.container = "std::shared_ptr<" + pointee + ">";
    return out;
}

using names = std::span<const std::string_view>;

bool is_one_of(std::string_view name, names all) {
    return std::ranges::find(all, name) != all.end();
}

constexpr std::array<std::string_view, 4> trees{"std::map", "std::set", "std::multimap", "std::multiset"};
constexpr std::array<std::string_view, 4> hashes{"std::unordered_map", "std::unordered_set",
                                                 "std::unordered_multimap", "std::unordered_multiset"};
constexpr std::array<std::string_view, 1> linked_lists{"std::list"};
constexpr std::array<std::string_view, 1> forward_lists{"std::forward_list"};
constexpr std::array<std::string_view, 2> counters{"std::shared_ptr", "std::__shared_ptr"};
constexpr std::array<std::string_view, 8> arrays{"std::vector",   "std::deque",           "std::basic_string",
                                                 "std::valarray", "std::basic_stringbuf", "std::unique_ptr",
                                                 "std::any",      "std::__split_buffer"};
constexpr std::array<std::string_view, 5> growing{"std::vector", "std::deque", "std::basic_string",
                                                  "std::basic_stringbuf", "std::basic_filebuf"};
constexpr std::array<std::string_view, 1> functions{"std::function"};

names family_of(const std::string& container) {
    for (const names family :
         {names(trees), names(hashes), names(linked_lists), names(forward_lists), names(functions)}) {
        for (const std::string_view name : family) {
            if (container.starts_with(name) &&
                (container.size() == name.size() || container[name.size()] == '<')) {
                return family;
            }
        }
    }
    return container.starts_with("std::shared_ptr<") ? names(counters) : names(arrays);
}

std::string owner_name(const known_frame& frame) {
    std::vector<name_part> scopes = frame.scopes;
    if (!scopes.empty()) {
        scopes.pop_back();
    }
    return plain_name(scopes);
}

} // namespace

named_type content_of(const std::string& allocated) {
    const std::vector<name_part> scopes = scopes_of(allocated);
    const std::string name = plain_name(scopes);
    static const std::vector<std::string> empty;
    const std::vector<std::string>& a = scopes.empty() ? empty : scopes.back().arguments;
    const bool is_pointer = allocated.ends_with("*");
    named_type out;
    if (name.starts_with("std::__detail::_Hash_node_base") || name == "std::__hash_node_base") {
        out.type = "hash buckets";
        out.container = "std::unordered";
        out.is_array = is_pointer;
        if (name == "std::__hash_node_base" && !a.empty()) {
            const std::vector<std::string> value = template_arguments(without_qualifiers(a[0]));
            if (!value.empty()) {
                out.container = content_of(std::string(a[0].substr(0, a[0].rfind('*')))).container;
            }
        }
    } else if (is_pointer || a.empty()) {
        out.type = readable_type(allocated);
    } else if (name == "std::_List_node" || name == "std::__list_node") {
        out = node(a[0], "std::list<" + readable_type(a[0]) + ">");
    } else if (name == "std::_Fwd_list_node" || name == "std::__forward_list_node") {
        out = node(a[0], "std::forward_list<" + readable_type(a[0]) + ">");
    } else if (name == "std::_Rb_tree_node" || name == "std::__tree_node" ||
               name == "std::__detail::_Hash_node" || name == "std::__hash_node") {
        const bool is_hash = name.find("ash_node") != std::string::npos;
        out = node(a[0], readable_type(std::string(is_hash ? "std::unordered_" : "std::") +
                                       (is_map_value(a[0]) ? "map<" : "set<") +
                                       (is_map_value(a[0]) ? key_and_value(a[0]) : a[0]) + ">"));
    } else if (name == "std::_Sp_counted_ptr_inplace" || name == "std::__shared_ptr_emplace") {
        out = counted(a[0], false);
    } else if (name == "std::_Sp_counted_array_base" || name == "std::_Sp_counted_array" ||
               name == "std::__unbounded_array_control_block" ||
               name == "std::__bounded_array_control_block") {
        out = counted(a[0], false);
        out.is_array = true;
    } else if (name == "std::_Sp_counted_ptr" || name == "std::_Sp_counted_deleter" ||
               name == "std::__shared_ptr_pointer") {
        out = counted(a[0], true);
    } else if (name == "std::__function::__func") {
        out.type = readable_type(a[0]);
        out.container = a.size() > 2 ? "std::function<" + readable_type(a[2]) + ">" : "std::function";
    } else {
        out.type = readable_type(allocated);
    }
    const std::string whole = readable_type(allocated);
    if (whole != out.type) {
        out.allocated = whole;
    }
    return out;
}

void name_container(const call_chain& chain, std::size_t from, named_type& type) {
    const bool is_hash_array = type.container == "std::unordered";
    const names family = is_hash_array ? names(hashes) : family_of(type.container);
    const bool is_array_family = family.data() == arrays.data();
    std::size_t at = from;
    // Only as far as the standard library reaches: behind it other code asked for this block, and a container
    // farther out holds that code's object, not the block.
    for (; at < chain.size() && is_standard_code(*chain[at]); ++at) {
        const known_frame& frame = *chain[at];
        if (frame.scopes.size() < 2) {
            continue;
        }
        const std::string owner = owner_name(frame);
        if (is_one_of(owner, family) && owner != "std::__split_buffer" && owner != "std::__shared_ptr") {
            type.container = class_of(frame);
            // A string stream keeps its text in a string; an array's owner holds several.
            type.is_array =
                type.is_array || (is_array_family && owner != "std::any" && owner != "std::unique_ptr");
            break;
        }
    }
    if (type.container == "std::unordered") {
        type.container = "std::unordered_map";
    }
    if (!type.container.empty()) {
        return;
    }
    // A container of the user's own: a class template that was made for this type.
    while (at < chain.size() && is_standard_code(*chain[at])) {
        ++at;
    }
    if (at >= chain.size() || chain[at]->scopes.size() < 2) {
        return;
    }
    const std::string owner = class_of(*chain[at]);
    const name_part& last = chain[at]->scopes[chain[at]->scopes.size() - 2];
    if (!last.is_template || last.arguments.empty() || owner.empty() || owner.starts_with("std::")) {
        return;
    }
    // One object of the standard library's says only what the class is made of.
    const bool holds = std::ranges::any_of(last.arguments, [&](const std::string& one) {
        const std::string argument = readable_type(one);
        return argument == type.type && (type.is_array || !argument.starts_with("std::"));
    });
    if (holds && owner != type.type) {
        type.container = owner;
    }
}

named_type content_of_function(const known_frame& frame) {
    if (frame.scopes.size() < 2 || frame.scopes.front().id != "std") {
        return {};
    }
    const name_part& owner = frame.scopes[frame.scopes.size() - 2];
    const std::vector<std::string>& a = owner.arguments;
    const std::string& function = frame.scopes.back().id;
    named_type out;
    if (!owner.is_template || a.empty()) {
        return out;
    }
    // libstdc++'s implementation of trees and hash tables: the second argument is what a node holds.
    const bool is_hash = owner.id == "_Hashtable";
    if (a.size() > 1 && (is_hash || owner.id == "_Rb_tree")) {
        out = content_of((is_hash ? "std::__detail::_Hash_node<" : "std::_Rb_tree_node<") + a[1] + ">");
        out.allocated.clear();
        if (is_hash && (function.find("rehash") != std::string::npos ||
                        function.find("_M_allocate_buckets") != std::string::npos)) {
            out.type = "hash buckets";
            out.is_array = true;
        }
        return out;
    }
    out.container = class_of(frame);
    const std::string name = owner_name(frame);
    if (is_one_of(name, trees) || is_one_of(name, hashes)) {
        out.type = name.ends_with("map") && a.size() > 1
                       ? "std::pair<const " + readable_type(a[0]) + ", " + readable_type(a[1]) + ">"
                       : readable_type(a[0]);
    } else if (is_one_of(name, linked_lists) || is_one_of(name, forward_lists)) {
        out.type = readable_type(a[0]);
    } else if (is_one_of(name, growing)) {
        out.type = readable_type(a[0]) + (function == "_M_reallocate_map" ? "*" : "");
        out.is_array = true;
    }
    return out;
}

named_type content_of_headers(const call_chain& chain, std::size_t from, const std::string& element) {
    named_type out;
    std::string container;
    bool is_pmr = false;
    bool is_buckets = false;
    for (std::size_t i = 0; i < chain.size() && is_standard_code(*chain[i]); ++i) {
        const std::filesystem::path file = chain[i]->shown.file;
        is_pmr = is_pmr || file.filename() == "memory_resource";
        is_buckets = is_buckets || (i >= from && chain[i]->name.find("_buckets") != std::string::npos);
        // bits/stl_list.h, bits/list.tcc, bits/unordered_map.h
        std::string name = file.stem().string();
        name.erase(0, name.starts_with("stl_") ? 4 : 0);
        const bool is_array = name == "vector" || name == "deque";
        if (file.parent_path().filename() == "bits" &&
            (is_array || family_of("std::" + name).data() != arrays.data())) {
            container = name;
        }
    }
    if (container.empty() || element.empty()) {
        return out;
    }
    out.type = is_buckets ? "hash buckets" : readable_type(element);
    out.is_array = is_buckets || container == "vector" || container == "deque";
    const std::vector<std::string> pair = template_arguments(element);
    const bool is_map = container.ends_with("map") && pair.size() == 2;
    const std::string arguments =
        is_map ? readable_type(without_qualifiers(pair[0])) + ", " + readable_type(pair[1])
               : readable_type(element);
    out.container = std::string(is_pmr ? "std::pmr::" : "std::") + container + "<" + arguments + ">";
    return out;
}

} // namespace linn::tool
