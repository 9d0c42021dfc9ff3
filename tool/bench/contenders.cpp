// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

#include "../allocators/finder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

struct in_process_pool {
    const char* name;
    const char* title;
    const char* note;
    bool only_variants;
};

constexpr in_process_pool pools[] = {
    {"pmr-unsynchronized", "pmr unsynchronized", "std::pmr::unsynchronized_pool_resource", false},
    {"pmr-synchronized", "pmr synchronized", "std::pmr::synchronized_pool_resource", false},
    {"pmr-monotonic", "pmr monotonic", "std::pmr::monotonic_buffer_resource: frees nothing", true},
    {"boost-singleton-pool", "boost singleton_pool",
     "boost::singleton_pool without a mutex; arrays from std::allocator", false},
    {"lecture-pool", "lecture pool",
     "the textbook pool: free list, chunks of 64, thread_local; unsafe when threads share or end", false},
    {"locked-pool", "locked pool", "the published packet pool: blocks made in advance behind a std::mutex",
     true},
    {"spin-pool", "spinning pool", "the same behind a spin lock", true},
    {"mmap", "mmap", "a mapping of its own for every buffer", true},
    {"linn", "linn", "linn's pools, allocators, recycler and buffers", false},
};

// 4 GiB, and 32 MiB: the largest threshold for mappings that glibc accepts. Setting one of them ends glibc's own
// adjustment of both.
constexpr const char* no_trim = "MALLOC_TRIM_THRESHOLD_=4294967296";
constexpr const char* no_mappings = "MALLOC_MMAP_THRESHOLD_=33554432";

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
    std::vector<std::string> names{baseline_name, no_trim_name};
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
    const auto add = [&](const std::string& name, const char* title, contender_kind kind,
                         const char* worker_id) -> contender& {
        contender& c = list.emplace_back();
        c.name = name;
        c.title = title;
        c.kind = kind;
        c.worker_id = worker_id;
        return c;
    };
    add(baseline_name, "glibc", contender_kind::system, "general");
    add(control_name, "glibc again", contender_kind::system, "general");
    if (wanted(no_trim_name)) {
        contender& c = add(no_trim_name, "glibc, no trim", contender_kind::system, "general");
        c.notes = {fmt::format("keeps its heap: {} {}", no_trim, no_mappings)};
        c.environment = {no_trim, no_mappings};
        c.only_variants = true;
    }

    const auto add_library = [&](const std::string& name, const found_library& found) {
        if (!found.problem.empty())
            missing.push_back({name, {}, found.problem});
        else
            add(name, name.c_str(), contender_kind::preload, "general").library = found.path;
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
        if (wanted(p.name)) {
            contender& c =
                add(p.name, p.title, contender_kind::in_process, p.only_variants ? "general" : p.name);
            c.notes = {p.note};
            c.only_variants = p.only_variants;
        }
    return list;
}

} // namespace linn::tool
