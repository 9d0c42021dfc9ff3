// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

#include "../measure/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace linn::tool {

namespace {

/// Why an allocator is not measured; empty when it is.
std::string reason_against(const allocator_entry& entry, bool is_named) {
    switch (entry.state) {
    case library_state::usable:
        return {};
    case library_state::known_bad:
        return is_named ? std::string{}
                        : fmt::format("known bad: {}; name it to measure it all the same", entry.remark);
    case library_state::missing:
        return entry.how_to_get.empty() ? entry.remark
                                        : fmt::format("{}; get it with: {}", entry.remark, entry.how_to_get);
    case library_state::broken:
    case library_state::inert:
        break;
    }
    return fmt::format("{}: {}", to_string(entry.state), entry.remark);
}

/// glibc with settings in its environment; `effect` says what they do.
contender tuned_glibc(const char* name, const char* title, const char* effect,
                      const std::vector<std::string>& settings) {
    return {.name = name,
            .title = title,
            .notes = {fmt::format("{}: {}", effect, fmt::join(settings, " "))},
            .environment = settings,
            .version = ::gnu_get_libc_version()};
}

} // namespace

const char* to_string(contender_kind kind) noexcept {
    return word_of(kind, {"system", "preload", "in-process"});
}

std::string title_with_version(const contender& c) {
    return c.version.empty() ? c.title : fmt::format("{} {}", c.title, c.version);
}

allocator_choice::allocator_choice(const std::vector<std::string>& only, const user_allocators& given)
    : only_{resolve_names(only, given)},
      given_{given} {}

bool allocator_choice::wants(const std::string& name) const {
    return only_.empty() || contains(only_, name);
}

bool allocator_choice::names(const std::string& name) const {
    return contains(only_, name) ||
           std::any_of(given_.begin(), given_.end(), [&](const auto& given) { return given.first == name; });
}

std::vector<allocator_entry>
allocator_choice::look(const interrupt_guard& guard,
                       const std::function<void(const std::string&)>& tick) const {
    // An inventory of no names would be one of all.
    std::vector<std::string> libraries;
    for (const std::string& name : resolve_names(allocator_names(given_), given_)) {
        if (wants(name) && name != baseline_name) {
            libraries.push_back(name);
        }
    }
    return libraries.empty() ? std::vector<allocator_entry>{}
                             : take_inventory(given_, libraries, guard, tick);
}

std::vector<contender> allocator_choice::contenders(const std::vector<allocator_entry>& inventory,
                                                    std::vector<left_out_contender>& left_out) const {
    std::vector<contender> list;
    for (const allocator_entry& entry : inventory) {
        if (!wants(entry.name) || (entry.library.empty() && entry.state == library_state::usable)) {
            continue;
        }
        if (std::string reason = reason_against(entry, names(entry.name)); !reason.empty()) {
            left_out.push_back({entry.name, std::move(reason), entry.state == library_state::missing});
            continue;
        }
        contender& c = list.emplace_back(contender{.name = entry.name,
                                                   .title = entry.title,
                                                   .kind = contender_kind::preload,
                                                   .library = entry.library,
                                                   .proof = entry.proof,
                                                   .environment = entry.environment,
                                                   .version = entry.version});
        for (const std::string& variable : entry.environment) {
            c.notes.push_back("runs with " + variable);
        }
        if (!entry.remark.empty()) {
            c.notes.push_back(entry.remark);
        }
    }
    return list;
}

contender glibc_without_trim() {
    // 4 GiB, and 32 MiB: the largest threshold for mappings that glibc accepts. Setting one of them ends glibc's own
    // adjustment of both.
    return tuned_glibc(no_trim_name, "glibc, no trim", "keeps its heap",
                       {"MALLOC_TRIM_THRESHOLD_=4294967296", "MALLOC_MMAP_THRESHOLD_=33554432"});
}

contender glibc_on_huge_pages() {
    const char* const set = std::getenv("GLIBC_TUNABLES");
    const std::string others = set != nullptr && *set != '\0' ? std::string{set} + ':' : "";
    return tuned_glibc(huge_name, "glibc, huge pages", "asks for huge pages",
                       {fmt::format("GLIBC_TUNABLES={}glibc.malloc.hugetlb=1", others)});
}

bool glibc_has_huge_pages() {
    return ::strverscmp(::gnu_get_libc_version(), "2.35") >= 0;
}

std::vector<std::string> contender_names(const user_allocators& given,
                                         std::initializer_list<const char*> more) {
    std::vector<std::string> names = allocator_names(given);
    names.insert(names.begin() + 1, no_trim_name); // after glibc, the first
    for (const char* const name : more) {
        if (!contains(names, name)) {
            names.emplace_back(name);
        }
    }
    return names;
}

} // namespace linn::tool
