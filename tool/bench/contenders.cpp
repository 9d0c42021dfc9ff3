// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

#include "../allocators/finder.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

struct in_process_pool {
    const char* name;
    const char* title;
    const char* note;
};

constexpr in_process_pool pools[] = {
    {"pmr-unsynchronized", "pmr unsynchronized", "std::pmr::unsynchronized_pool_resource"},
    {"pmr-synchronized", "pmr synchronized", "std::pmr::synchronized_pool_resource"},
    {"boost-singleton-pool", "boost singleton_pool",
     "boost::singleton_pool without a mutex; arrays from std::allocator"},
    {"lecture-pool", "lecture pool",
     "the textbook pool: free list, chunks of 64, thread_local; unsafe when threads share or end"},
    {"linn", "linn", "linn::allocator and linn::pooled"},
};

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

const std::filesystem::path* find_path(const user_allocators& extra, std::string_view name) {
    for (const auto& [extra_name, path] : extra)
        if (extra_name == name)
            return &path;
    return nullptr;
}

} // namespace

const char* to_string(contender_kind kind) noexcept {
    switch (kind) {
    case contender_kind::system:
        return "system";
    case contender_kind::preload:
        return "preload";
    case contender_kind::in_process:
        return "in-process";
    }
    return "unknown";
}

std::vector<std::string> contender_names(const user_allocators& extra) {
    std::vector<std::string> names{baseline_name};
    for (const known_allocator& a : known_allocators())
        names.emplace_back(a.name);
    for (const auto& [name, path] : extra)
        if (!contains(names, name))
            names.push_back(name);
    for (const in_process_pool& p : pools)
        names.emplace_back(p.name);
    return names;
}

std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out>& missing) {
    const auto wanted = [&](const std::string& name) { return only.empty() || contains(only, name); };
    const auto directories = library_directories();

    std::vector<contender> list;
    list.push_back({baseline_name, "glibc", contender_kind::system, "general", {}, {}, {}});
    list.push_back({control_name, "glibc again", contender_kind::system, "general", {}, {}, {}});

    const auto add_library = [&](const std::string& name, const found_library& found) {
        if (!found.problem.empty())
            missing.push_back({name, {}, found.problem});
        else
            list.push_back({name, name, contender_kind::preload, "general", found.path, {}, {}});
    };
    for (const known_allocator& a : known_allocators()) {
        const std::string name{a.name};
        if (!wanted(name))
            continue;
        const std::filesystem::path* given = find_path(extra, name);
        add_library(name, given != nullptr ? check_library(*given) : find_library(a, directories));
    }
    for (const auto& [name, path] : extra)
        if (find_known_allocator(name) == nullptr && wanted(name))
            add_library(name, check_library(path));

    for (const in_process_pool& p : pools)
        if (wanted(p.name))
            list.push_back({p.name, p.title, contender_kind::in_process, p.name, {}, {p.note}, {}});
    return list;
}

} // namespace linn::tool
