// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

#include "../allocators/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// Why an allocator is not measured; empty when it is. One that is known to be bad is measured on request only.
std::string reason_against(const allocator_entry& entry, bool asked_for) {
    switch (entry.state) {
    case library_state::usable:
        return {};
    case library_state::known_bad:
        return asked_for ? std::string{}
                         : fmt::format("{}; name it to measure it all the same", entry.remark);
    case library_state::missing:
        return entry.how_to_get.empty() ? entry.remark
                                        : fmt::format("{}; get it with: {}", entry.remark, entry.how_to_get);
    case library_state::broken:
    case library_state::inert:
        break;
    }
    return entry.remark;
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
    std::vector<std::string> names = allocator_names(extra);
    names.insert(names.begin() + 1, no_trim_name);
    for (const in_process_pool& p : pools)
        names.emplace_back(p.name);
    return names;
}

std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out>& missing, const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick) {
    const std::vector<std::string> named = resolve_names(only, extra);
    const auto wanted = [&](const std::string& name) { return named.empty() || contains(named, name); };

    std::vector<contender> list;
    const auto add = [&](const std::string& name, const std::string& title, contender_kind kind,
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
        c.environment = glibc_keeps_heap();
        c.notes = {fmt::format("keeps its heap: {} {}", c.environment[0], c.environment[1])};
        c.only_variants = true;
    }

    // Nothing is tried that is not measured; an inventory of no names would be one of all.
    std::vector<std::string> libraries;
    for (const std::string& name : resolve_names(allocator_names(extra), extra))
        if (wanted(name) && name != baseline_name)
            libraries.push_back(name);
    if (!libraries.empty())
        for (allocator_entry& entry : take_inventory(extra, libraries, guard, tick)) {
            const bool asked_for =
                contains(named, entry.name) ||
                std::any_of(extra.begin(), extra.end(), [&](const auto& e) { return e.first == entry.name; });
            if (std::string reason = reason_against(entry, asked_for); !reason.empty()) {
                missing.push_back({entry.name, {}, std::move(reason)});
                continue;
            }
            contender& c = add(entry.name, entry.title, contender_kind::preload, "general");
            c.library = entry.library;
            c.proof = entry.proof;
            c.environment = entry.environment;
            for (const std::string& variable : entry.environment)
                c.notes.push_back("runs with " + variable);
            if (!entry.remark.empty())
                c.notes.push_back(entry.remark);
        }

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
