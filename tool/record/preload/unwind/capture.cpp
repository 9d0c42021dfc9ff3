// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include "frame_entry.hpp"
#include "stack_table.hpp"

#include <link.h>

namespace linn::tool::unwind {

constinit std::atomic<std::uint64_t> current_epoch{0};

namespace {

// What is not zero at first would be 2.5 MB of the file.
constinit rule_table rules;
constinit stack_table stacks;
constinit mode chosen_mode = mode::own;
constinit unsigned chosen_depth = 16;

/// A thread that allocates less needs no cache.
constexpr std::uint64_t misses_before_cache = 8;

unsigned long long count_unloads() noexcept {
    unsigned long long unloads = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<unsigned long long*>(result) = info->dlpi_subs;
            return 1;
        },
        &unloads);
    return unloads;
}

void forget(std::uint64_t unloading) noexcept {
    rules.clear();
    constexpr std::uint64_t one = std::uint64_t{1} << epoch_word::unloading_bits;
    // Pairs with the acquire in walk_and_keep(): who sees the new epoch sees no old rule.
    current_epoch.fetch_add(one - unloading, std::memory_order_release);
}

/// The thread's cache, empty if what it holds is of another epoch; null if it has none.
stack_cache* cache_for(thread_stacks& thread, std::uint64_t epoch) noexcept {
    stack_cache* cache = thread.cache.load(std::memory_order_relaxed);
    if (cache == nullptr) {
        if (thread.closed || thread.count.misses < misses_before_cache || chosen_mode == mode::libunwind) {
            return nullptr;
        }
        stack_cache* const fresh = stack_cache::create(chosen_depth);
        // A signal handler may have made one meanwhile.
        if (!thread.cache.compare_exchange_strong(cache, fresh, std::memory_order_relaxed)) {
            if (fresh != nullptr) {
                fresh->destroy();
            }
            return cache;
        }
        thread.epoch = epoch;
        return fresh;
    }
    if (thread.epoch != epoch) {
        cache->clear();
        thread.epoch = epoch;
    }
    return cache;
}

void walk_own(thread_stacks& thread, const frame_start& start, rule_table* table, near_rules* near,
              walk& found) noexcept {
    walk_stack(start, chosen_depth, table, near, readable_pages{thread.readable}, found);
    thread.count.odd += found.used_row ? 1 : 0;
    thread.count.cut += found.result == walk::outcome::cut ? 1 : 0;
}

} // namespace

mode start(mode wanted, unsigned depth) noexcept {
    chosen_depth = depth < 1 ? 1 : depth > most_frames ? most_frames : depth;
    if (wanted == mode::own && !can_find_entries()) {
        wanted = mode::libunwind;
    }
    if (wanted == mode::libunwind && !load_libunwind()) {
        wanted = mode::none;
    }
    chosen_mode = wanted;
    return wanted;
}

captured walk_and_keep(thread_stacks& thread, const frame_start& start) noexcept {
    ++thread.count.misses;
    // Pairs with forget(): rules of an epoch are found only after those of the last were cleared.
    const std::uint64_t epoch = current_epoch.load(std::memory_order_acquire);
    const bool steady = epoch_word::steady(epoch);
    stack_cache* const cache = steady ? cache_for(thread, epoch) : nullptr;

    walk found;
    bool can_keep = cache != nullptr;
    switch (chosen_mode) {
    case mode::own:
        walk_own(thread, start, steady ? &rules : nullptr, cache != nullptr ? &cache->rules : nullptr, found);
        can_keep = can_keep && found.result == walk::outcome::complete;
        break;
    case mode::libunwind:
        found.frame_count = walk_with_libunwind(start, chosen_depth, found.frames);
        can_keep = false;
        break;
    case mode::none:
        found.frame_count = 1;
        found.frames[0] = start.return_address;
        break;
    }

    fingerprint print{};
    if (can_keep) {
        print = fingerprint::of(found.frames, found.frame_count);
        if (const std::uint32_t id = cache->numbers.find(print); id != 0) {
            stack_cache::confirm(cache->add(start, found), id);
            return {id, false, false, nullptr, 0, nullptr, {}};
        }
    }
    stack_record* const record =
        stacks.find_or_add(found.frames, found.frame_count, epoch_word::number(epoch));
    if (record == nullptr) {
        return {};
    }
    stack_cache::pending entry{};
    if (can_keep) {
        entry = cache->add(start, found);
    }
    const bool is_cut = found.result == walk::outcome::cut;
    captured result{record->id, true, is_cut, record->frames(), record->count, record, entry};
    if (record->is_defined.load(std::memory_order_relaxed)) {
        defined(result);
        result.is_new = false;
        if (can_keep) {
            cache->numbers.keep(print, record->id);
        }
    }
    return result;
}

void defined(const captured& stack) noexcept {
    if (stack.record != nullptr) {
        stack.record->is_defined.store(true, std::memory_order_relaxed);
    }
    stack_cache::confirm(stack.entry, stack.id);
}

void release(thread_stacks& thread) noexcept {
    thread.closed = true;
    if (stack_cache* const cache = thread.cache.exchange(nullptr, std::memory_order_relaxed)) {
        cache->destroy();
    }
    thread.count = {};
}

void restart() noexcept {
    forget(0);
    stacks.clear();
}

void forked() noexcept {
    if (const std::uint64_t epoch = current_epoch.load(std::memory_order_relaxed);
        !epoch_word::steady(epoch)) {
        forget(epoch & ((std::uint64_t{1} << epoch_word::unloading_bits) - 1));
    }
}

unloading::unloading() noexcept : unloads_(count_unloads()) {
    current_epoch.fetch_add(1, std::memory_order_relaxed);
}

unloading::~unloading() {
    if (count_unloads() != unloads_) {
        forget(1);
    } else {
        current_epoch.fetch_sub(1, std::memory_order_relaxed);
    }
}

} // namespace linn::tool::unwind
