// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

namespace linn::tool::pools {

/// Which pool serves a call: an open table of one word an entry, the return address, the size and the number of the pool.
/// A word is read whole, so a reader needs no lock while another thread changes the table, and never sees the pool
/// of one call with the size of another.
///
/// ```
///  63                    16 15        6 5         0
///  | return address, 48 bits | size     | pool      |      0: empty
/// ```
///
/// At most a quarter of the entries is used: a call that is not planned mostly meets an empty one at once.
struct site_index {
    const std::atomic<std::uint64_t>* entries;
    std::uint32_t shift; ///< 64 - log2 of how many there are
    std::uint32_t last;  ///< how many there are, less one
};

inline constexpr std::uint64_t wrapper_number = 63; ///< a wrapper's call: its caller tells
inline constexpr std::uint64_t no_number = 64;

/// The low 16 bits are 0 but for the size.
[[gnu::always_inline]] inline std::uint64_t key_of(std::uintptr_t return_address,
                                                   std::size_t bytes) noexcept {
    return std::uint64_t{return_address} << 16 | bytes << 6;
}

[[gnu::always_inline]] inline std::size_t home_of(std::uint64_t key, std::uint32_t shift) noexcept {
    return (key * 0x9e3779b97f4a7c15u) >> shift;
}

struct found_entry {
    std::uint64_t number; ///< no_number: there is none
    std::size_t at;
};

/// @complexity one entry, nearly always
[[gnu::always_inline]] inline found_entry find(const site_index& index, std::uint64_t key) noexcept {
    for (std::size_t i = home_of(key, index.shift);; i = (i + 1) & index.last) {
        const std::uint64_t entry = index.entries[i].load(std::memory_order_relaxed);
        if (const std::uint64_t number = entry - key; number < pool_numbers) {
            return {number, i};
        }
        if (entry == 0) {
            return {no_number, 0};
        }
    }
}

/// What is planned for a size: a bit each 16 bytes, none for more than largest_planned_size bytes and for none at all.
[[gnu::always_inline]] inline bool covers(std::uint64_t sizes, std::size_t bytes) noexcept {
    const std::size_t sixteens = (bytes + 15) / 16;
    return sixteens < 64 && (sizes >> sixteens & 1) != 0;
}

/// LINN_POOLS; docs/reference/plan.md says what each does.
enum class pool_mode : std::uint8_t { on, off, empty, sizes };
[[gnu::visibility("hidden")]] extern const char* const mode_names[4];

/// What every call reads, in one cache line.
struct alignas(64) hot_data {
    std::atomic<std::uint64_t> malloc_sizes; ///< see covers(); 0: nothing of the malloc family is planned
    std::atomic<std::uint64_t> new_sizes;    ///< likewise for operator new
    site_index index;
    /// What else concerns a call of a planned size that is not in the index.
    std::atomic<std::uint32_t> attention;
};
[[gnu::visibility("hidden")]] extern hot_data hot;

enum : std::uint32_t {
    attention_to_modules = 1, ///< files may have come or gone
    attention_to_sizes = 2,   ///< pool_mode::sizes
    attention_to_counts = 4,  ///< hits are counted
};

/// Where a call comes from, as the exported function sees it.
struct call_place {
    std::uintptr_t return_address;
    std::uintptr_t stack_pointer; ///< just above the return address
};
#define LINN_CALL_PLACE                                                                                      \
    ::linn::tool::pools::call_place {                                                                        \
        reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),                                       \
            reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())                                          \
    }

/// The pool of a call that the index does not know, or knows to be a wrapper's; no_number: none.
std::uint64_t pool_of_other(std::size_t bytes, call_place from, found_entry found) noexcept;

// What a call gets: a block of its pool, or General::get(bytes). Each way but the one through a thread's cache is a jump to
// another function, so that neither a planned call nor one that is not pays for saving registers.

template <class General>
[[gnu::noinline]] void* block_after_refill(std::size_t bytes, std::uint64_t number,
                                           std::uintptr_t caller) noexcept(noexcept(General::get(bytes))) {
    void* const block = refill(number, reinterpret_cast<const void*>(caller));
    return block != nullptr ? block : General::get(bytes);
}

template <class General>
[[gnu::noinline]] void* block_of_other(std::size_t bytes, call_place from,
                                       found_entry found) noexcept(noexcept(General::get(bytes))) {
    const std::uint64_t number = pool_of_other(bytes, from, found);
    void* block = nullptr;
    if (number < wrapper_number) {
        block = take(number, reinterpret_cast<const void*>(from.return_address));
    }
    return block != nullptr ? block : General::get(bytes);
}

template <class General>
[[gnu::always_inline]] inline void* block_for(const std::atomic<std::uint64_t>& sizes, std::size_t bytes,
                                              call_place from) noexcept(noexcept(General::get(bytes))) {
    if (!covers(sizes.load(std::memory_order_relaxed), bytes)) [[likely]] {
        return General::get(bytes);
    }
    const found_entry found = find(hot.index, key_of(from.return_address, bytes));
    if (found.number >= wrapper_number) [[unlikely]] { // another call of the same size, most of the time
        const bool is_general =
            found.number == no_number && hot.attention.load(std::memory_order_relaxed) == 0;
        return is_general ? General::get(bytes) : block_of_other<General>(bytes, from, found);
    }
    void* block = nullptr;
    return me.fronts[found.number].try_pop(block)
               ? block
               : block_after_refill<General>(bytes, found.number, from.return_address);
}

/// A block for a call that is planned; null: the general allocator serves. @param alignment a power of two
[[gnu::always_inline]] inline void* planned_block(const std::atomic<std::uint64_t>& sizes, std::size_t bytes,
                                                  std::size_t alignment, call_place from) noexcept {
    if (!covers(sizes.load(std::memory_order_relaxed), bytes)) [[likely]] {
        return nullptr;
    }
    const found_entry found = find(hot.index, key_of(from.return_address, bytes));
    const std::uint64_t number =
        found.number < wrapper_number ? found.number : pool_of_other(bytes, from, found);
    return number < wrapper_number && pools[number].description.sizes.slot_align >= alignment
               ? take(number, reinterpret_cast<const void*>(from.return_address))
               : nullptr;
}

// -- hooks.cpp: what is looked up ---------------------------------------------------------------

/// From now on nothing is looked up, and no block can be a pool's. @pre there are no pools, and there will be none
void pass_all_on() noexcept;
/// Likewise for allocations only, until look_at_calls(): for a plan none of whose sites is loaded yet.
void pass_allocations_on() noexcept;
/// Calls are looked up again; what other threads allocate meanwhile may not be. Thread-safe.
void look_at_calls() noexcept;

// -- setting up ----------------------------------------------------------------------------------

struct site_settings {
    pool_mode mode;
    bool counts_hits;
    bool serves_new; ///< no library stands before our operator new and delete
};
/// Describes and makes the pools, and looks for sites in the files that are loaded. False when there is no memory.
/// @param plan for good
bool apply_plan(const plan_tables& plan, const site_settings& settings) noexcept;

/// Files may have come or gone: to be looked at again.
void request_scan() noexcept;
/// In the child of a fork, where another thread may have been at it, or at loading files: none are looked for until this process
/// asks the loader for one.
void forget_scan_of_parent() noexcept;

enum class site_state : std::uint8_t { absent, active, other_build, other_code };
struct site_status {
    site_state state;
    std::uint64_t hits;
};
site_status status_of(std::uint32_t site) noexcept;
bool is_any_site_active() noexcept;
/// What was applied; null: nothing.
const plan_tables* applied_plan() noexcept;
bool are_hits_counted() noexcept;

} // namespace linn::tool::pools
