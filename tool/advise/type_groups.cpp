// SPDX-License-Identifier: Apache-2.0
#include "type_groups.hpp"

#include "../symbols/call_chain.hpp"
#include "../symbols/cxx_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace linn::tool {
namespace {

constexpr std::array<std::string_view, 10> node_containers{
    "list",          "forward_list",       "map",           "multimap",          "set", "multiset",
    "unordered_map", "unordered_multimap", "unordered_set", "unordered_multiset"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_operator_new(allocation_call call) {
    return call >= allocation_call::operator_new && call <= allocation_call::operator_new_array_aligned;
}

using place_key = std::tuple<std::string, unsigned, std::string, std::string>;

/// A type while its sites are added.
struct group {
    advised_type type;
    std::map<place_key, std::size_t> places;
};

bool is_place(const named_type& named, const symbol_frame& f) {
    return f.line == named.place.line && f.file == named.place.file && f.function == named.place.function &&
           f.library() == named.place.library();
}

std::vector<symbol_frame> callers_of(const named_type& named) {
    const auto begin = std::find_if(named.frames.begin(), named.frames.end(),
                                    [&](const symbol_frame& f) { return is_place(named, f); });
    return {begin == named.frames.end() ? named.frames.begin() : begin, named.frames.end()};
}

void add_site(group& g, named_type&& named, std::uint32_t index, const site_statistics& statistics) {
    advised_type& type = g.type;
    type.statistics.merge(statistics);
    const symbol_frame& frame = named.place;
    const auto [found, is_new] =
        g.places.try_emplace({frame.file, frame.line, frame.function, frame.library()}, type.places.size());
    if (is_new) {
        type.places.push_back({frame, 0, callers_of(named), {}});
    }
    advised_place& place = type.places[found->second];
    place.share += static_cast<double>(statistics.allocations); // divided when the type is whole
    place.sites.push_back(index);
    if (type.name.empty()) {
        type.name = named.type;
        type.container = named.container;
        type.named = std::move(named);
    }
}

using type_key = std::pair<std::string, std::string>; ///< type and container; see key_of

/// Blocks without a type are told apart by what asks for them, which two of the same name may do.
type_key key_of(const named_type& named) {
    return {named.blocks.address.empty() ? named.type : named.blocks.what + '\n' + named.blocks.address,
            named.container};
}
using group_map = std::map<type_key, group>;

constexpr std::size_t several = 3; // instantiations that are worth a line together
constexpr double dominating = 0.5; // of the allocations of all: has a line of its own

type_key family_of(const type_key& key) {
    return {template_family(key.first), template_family(key.second)};
}

void add_group(group& to, group&& part) {
    const auto weight = [](const advised_type& t) { return static_cast<double>(t.statistics.allocations); };
    const double sum = weight(to.type) + weight(part.type);
    if (sum > 0) {
        to.type.summed_uniformity =
            (to.type.uniformity() * weight(to.type) + part.type.statistics.uniformity() * weight(part.type)) /
            sum;
    }
    ++to.type.instantiations;
    to.type.statistics.merge(part.type.statistics);
    for (auto& [key, index] : part.places) {
        advised_place& place = part.type.places[index];
        const auto [found, is_new] = to.places.try_emplace(key, to.type.places.size());
        if (is_new) {
            to.type.places.push_back(std::move(place));
            continue;
        }
        advised_place& known = to.type.places[found->second];
        known.share += place.share;
        known.sites.insert(known.sites.end(), place.sites.begin(), place.sites.end());
    }
}

/// The instantiations of a class template as one type, which is what one changes; but for one that has most of the
/// allocations. Fewer than three stay as they are.
void sum_instantiations(group_map& groups) {
    std::map<type_key, std::vector<type_key>> families;
    for (const auto& [key, g] : groups) {
        if (type_key family = family_of(key); family != key && g.type.named.rule != type_rule::none) {
            families[std::move(family)].push_back(key);
        }
    }
    for (auto& [family, keys] : families) {
        const auto count = [&](const type_key& key) { return groups.at(key).type.statistics.allocations; };
        std::ranges::stable_sort(keys,
                                 [&](const type_key& a, const type_key& b) { return count(a) > count(b); });
        std::uint64_t all = 0;
        for (const type_key& key : keys) {
            all += count(key);
        }
        if (static_cast<double>(count(keys.front())) > dominating * static_cast<double>(all)) {
            keys.erase(keys.begin());
        }
        if (keys.size() < several) {
            continue;
        }
        group sum = std::move(groups.at(keys.front()));
        groups.erase(keys.front());
        sum.type.name = family.first;
        sum.type.container = family.second;
        for (auto key = keys.begin() + 1; key != keys.end(); ++key) {
            add_group(sum, std::move(groups.at(*key)));
            groups.erase(*key);
        }
        groups.emplace(family, std::move(sum));
    }
}

/// Sites are told apart by their most frequent sizes; what they are called names all sizes of the row.
void name_by_sizes(advised_type& type) {
    if (!type.named.blocks.what.empty()) {
        type.named.blocks.what = blocks_of_sizes(type.statistics.smallest, type.statistics.largest);
        type.name = type.named.type = type.named.blocks.text();
    }
}

/// Unnamed blocks that would be called alike get numbers, the most frequent first; what containers hold is named.
void tell_apart(std::vector<advised_type>& types) {
    std::map<std::string, std::vector<advised_type*>> alike;
    for (advised_type& type : types) {
        alike[label_of(type)].push_back(&type);
    }
    for (const auto& [label, some] : alike) {
        for (std::size_t i = 0; some.size() > 1 && i != some.size(); ++i) {
            some[i]->shares_label = true;
            if (!some[i]->named.blocks.address.empty()) {
                some[i]->name = some[i]->named.blocks.text(i + 1);
            }
        }
    }
}

constexpr std::size_t most_compared = 50; // types; what is rarer is not worth a recycler
constexpr double as_often = 0.8;
constexpr double similar_life = 4;

bool is_object(container_kind kind) {
    return kind == container_kind::shared_ptr || kind == container_kind::unique_ptr ||
           kind == container_kind::none;
}

/// True where a stack goes through a constructor of T, such as "net::packet::packet(".
bool goes_through_constructor(const advised_type& part, const std::string& type) {
    const std::string constructor = type + "::" + std::string{last_component(type)} + "(";
    return std::any_of(part.named.frames.begin(), part.named.frames.end(), [&](const symbol_frame& f) {
        return f.function.find(constructor) != std::string::npos;
    });
}

bool is_same_function(const advised_type& a, const advised_type& b) {
    return !a.places.empty() && !b.places.empty() && !a.places.front().frame.function.empty() &&
           a.places.front().frame.function == b.places.front().frame.function;
}

bool lives_as_long(const advised_type& a, const advised_type& b) {
    const double x = a.statistics.lifetime_quantile(0.5);
    const double y = b.statistics.lifetime_quantile(0.5);
    return x <= similar_life * y && y <= similar_life * x;
}

} // namespace

std::string_view std_template(std::string_view container) {
    constexpr std::string_view prefix = "std::";
    if (!container.starts_with(prefix)) {
        return {};
    }
    return plain_type(container.substr(prefix.size()));
}

bool is_std_holder(std::string_view type) {
    const std::string_view name = std_template(type);
    return is_one_of(name, node_containers) || name == "vector" || name == "deque" || name == "string" ||
           name == "wstring";
}

std::string_view plain_type(std::string_view type) {
    return type.substr(0, std::min(type.find('<'), type.size()));
}

std::string_view last_component(std::string_view type) {
    type = plain_type(type);
    const std::size_t colon = type.rfind("::");
    return colon == std::string_view::npos ? type : type.substr(colon + 2);
}

container_kind kind_of(const named_type& named) {
    if (named.container.empty()) {
        return container_kind::none;
    }
    if (named.type == "hash buckets") {
        return container_kind::hash_buckets;
    }
    if (named.container.starts_with("std::pmr::")) {
        return container_kind::pmr;
    }
    const std::string_view name = std_template(named.container);
    if (is_one_of(name, node_containers)) {
        return named.is_array ? container_kind::hash_buckets : container_kind::node;
    }
    if (name == "shared_ptr") {
        return named.type.starts_with("control block of ") ? container_kind::control_block
                                                           : container_kind::shared_ptr;
    }
    using enum container_kind;
    constexpr std::pair<std::string_view, container_kind> kinds[]{
        {"vector", array},          {"deque", array},
        {"valarray", array},        {"string", text},
        {"basic_string", text},     {"wstring", text},
        {"basic_stringbuf", text},  {"u8string", text},
        {"u16string", text},        {"u32string", text},
        {"unique_ptr", unique_ptr}, {"function", function},
        {"any", function},          {"move_only_function", function},
        {"thread", thread},         {"jthread", thread}};
    const auto* const known =
        std::ranges::find(kinds, name, &std::pair<std::string_view, container_kind>::first);
    return known == std::end(kinds) ? other : known->second;
}

allocation_site site_of_stack(const trace_info& info, std::uint32_t stack) {
    allocation_site out;
    if (stack < info.stacks.size()) {
        for (const code_address& at : info.stacks[stack]) {
            // A return address stands behind the call.
            code_site frame{{}, {}, at.address == 0 ? 0 : at.address - 1};
            if (at.module < info.modules.size()) {
                frame.module = info.modules[at.module].path;
                frame.build_id = info.modules[at.module].build_id;
            }
            out.stack.push_back(std::move(frame));
        }
    }
    return out;
}

allocation_site site_to_name(const trace_info& info, const analysed_site& site) {
    allocation_site out = site_of_stack(info, site.stack);
    for (const auto& [size, count] : site.statistics.sizes) {
        out.sizes.push_back(size);
    }
    if (site.stack < info.rtti.size()) {
        out.rtti = info.rtti[site.stack];
    }
    out.is_operator_new = is_operator_new(site.call);
    out.is_array_new = site.call == allocation_call::operator_new_array ||
                       site.call == allocation_call::operator_new_array_aligned;
    return out;
}

std::vector<named_type> name_sites(const trace_analysis& analysis, const naming& names,
                                   const std::function<void(double)>& progress) {
    std::vector<named_type> named;
    for (const analysed_site& site : analysis.sites) {
        named.push_back(names.name(site_to_name(analysis.info, site)));
        if (progress && named.size() % 64 == 0) {
            progress(static_cast<double>(named.size()) / static_cast<double>(analysis.sites.size()));
        }
    }
    return named;
}

std::vector<advised_type> group_types(const trace_analysis& analysis, std::vector<named_type> named) {
    group_map groups;
    for (std::uint32_t i = 0; i != named.size(); ++i) { // most allocations first, so the first one names
        type_key key = key_of(named[i]);
        add_site(groups[std::move(key)], std::move(named[i]), i, analysis.sites[i].statistics);
    }
    sum_instantiations(groups);
    std::vector<advised_type> types;
    const auto all = static_cast<double>(std::max<std::uint64_t>(analysis.all.allocations, 1));
    for (auto& [key, g] : groups) {
        const auto mine = static_cast<double>(g.type.statistics.allocations);
        g.type.share = mine / all;
        for (advised_place& place : g.type.places) {
            place.share = mine == 0 ? 0 : place.share / mine;
        }
        std::ranges::stable_sort(
            g.type.places, [](const advised_place& a, const advised_place& b) { return a.share > b.share; });
        site_statistics& s = g.type.statistics;
        s.peak_live = std::min(s.peak_live, analysis.all.peak_live);
        s.peak_live_bytes = std::min(s.peak_live_bytes, analysis.all.peak_live_bytes);
        name_by_sizes(g.type);
        types.push_back(std::move(g.type));
    }
    std::sort(types.begin(), types.end(), [](const advised_type& a, const advised_type& b) {
        if (a.statistics.allocations != b.statistics.allocations) {
            return a.statistics.allocations > b.statistics.allocations;
        }
        return std::tie(a.container, a.name, a.named.blocks.address) <
               std::tie(b.container, b.name, b.named.blocks.address);
    });
    tell_apart(types);
    return types;
}

std::string label_of(const advised_type& type) {
    const container_kind kind = kind_of(type.named);
    std::string label = type.container.empty() ? type.name : type.container;
    if (!type.container.empty() && (kind == container_kind::hash_buckets || type.shares_label)) {
        label = type.name + " of " + type.container;
    } else if (kind == container_kind::control_block) {
        label = type.name;
    } else if (type.container.empty() && is_std_holder(type.name)) {
        label += " object"; // not what it holds, which has the bare name
    }
    return type.instantiations > 1 ? fmt::format("{} ({} types)", label, type.instantiations) : label;
}

std::string place_text(const symbol_frame& frame) {
    if (!frame.file.empty()) {
        const std::string file = frame.file_name();
        return frame.line == 0 ? file : fmt::format("{}:{}", file, frame.line);
    }
    const char* const between = !frame.is_foreign || frame.function.empty() ? "" : " of ";
    const std::string where = fmt::format("{}{}{}", frame.function, between, frame.library());
    return where.empty() ? where : "in " + where;
}

bool is_users_class(const advised_type& type) {
    const type_declaration& declared = type.named.declared;
    return !declared.is_c && !declared.is_closed && !is_system_file(declared.file) &&
           !type.name.starts_with("std::");
}

std::string owned_with(const advised_type& type, const std::vector<advised_type>& types) {
    if (!is_object(kind_of(type.named)) || type.named.is_array) {
        return {};
    }
    for (std::size_t i = 0; i != std::min(types.size(), most_compared); ++i) {
        const advised_type& part = types[i];
        const container_kind kind = kind_of(part.named);
        if (&part == &type || (kind != container_kind::array && kind != container_kind::text)) {
            continue;
        }
        if (static_cast<double>(part.statistics.allocations) <
            as_often * static_cast<double>(type.statistics.allocations)) {
            continue;
        }
        if (goes_through_constructor(part, type.name) ||
            (is_same_function(part, type) && lives_as_long(part, type))) {
            return label_of(part);
        }
    }
    return {};
}

} // namespace linn::tool
