// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

#include <utility>

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
    {"pmr-monotonic", "pmr monotonic", "std::pmr::monotonic_buffer_resource: frees nothing"},
    {"boost-singleton-pool", "boost singleton_pool",
     "boost::singleton_pool without a mutex; arrays from std::allocator"},
    {"lecture-pool", "lecture pool",
     "the textbook pool: free list, chunks of 64, thread_local; unsafe when threads share or end"},
    {"locked-pool", "locked pool", "the published packet pool: blocks made in advance behind a std::mutex"},
    {"spin-pool", "spinning pool", "the same behind a spin lock"},
    {"free-list", "free list",
     "objects linked through their own memory, one thread's, never given back: no lock, no check"},
    {"floor", "floor", "no pool: the least that such code can cost"},
    {"mmap", "mmap", "a mapping of its own for every buffer"},
    {"linn", "linn", "linn's pools, allocators, recycler and buffers"},
};

} // namespace

std::vector<std::string> bench_names(const user_allocators& extra) {
    std::vector<std::string> names = contender_names(extra);
    for (const in_process_pool& p : pools) {
        names.emplace_back(p.name);
    }
    return names;
}

std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out>& missing, const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick) {
    const allocator_choice choice{only, extra};
    std::vector<contender> list{{baseline_name, "glibc"}, {control_name, "glibc again"}};
    if (choice.wants(no_trim_name)) {
        list.push_back(glibc_without_trim());
    }
    std::vector<left_out_contender> unusable;
    for (contender& c : choice.contenders(choice.look(guard, tick), unusable)) {
        list.push_back(std::move(c));
    }
    for (left_out_contender& l : unusable) {
        missing.push_back({std::move(l.name), {}, std::move(l.reason)});
    }
    for (const in_process_pool& p : pools) {
        if (choice.wants(p.name)) {
            contender& c = list.emplace_back();
            c.name = p.name;
            c.title = p.title;
            c.kind = contender_kind::in_process;
            c.notes = {p.note};
        }
    }
    return list;
}

} // namespace linn::tool
