// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_MISUSE_TABLE_HPP
#define LINN_TESTS_SUPPORT_MISUSE_TABLE_HPP

/// @file
/// What is noticed where: every misuse of every part of the library, and what each kind of build and each tool
/// promises to say about it. process.misuse_matrix holds the library to it, and docs/reference/misuse.md shows it.

#include "misuse_acts.hpp"

#include <linn/misuse.hpp>

namespace linn_test {

enum class notice : unsigned char {
    not_promised, ///< anything may happen, and is not tried
    goes_on,      ///< nothing is said, and the program ends well
    at_once,      ///< the report comes from the wrong call or access itself
    late,         ///< it comes later
    told,         ///< it comes, and the program goes on
    faults,       ///< the process dies of SIGSEGV
};

enum class by : unsigned char { linn, tool };

struct cell {
    notice how = notice::not_promised;
    by whom = by::linn;
    const char* words = ""; ///< what the report says
    const char* shown = ""; ///< what the documentation says of it
};

struct row {
    const char* part;
    const char* misuse;
    void (*act)();
    cell release;
    cell checked;
    cell asan;
    cell memcheck;
};

/// In the order of the enumeration, which the page would show otherwise.
constexpr const char* name_of(linn::misuse_kind kind) noexcept {
    constexpr const char* names[] = {
        "double_free", "foreign_pointer",  "interior_pointer", "misaligned_pointer", "wrong_pool",
        "wrong_size",  "write_after_free", "overrun",          "underrun",           "objects_alive"};
    return names[static_cast<std::size_t>(kind)];
}

/// Linn's own report, and a tool's.
constexpr cell now(linn::misuse_kind kind) noexcept {
    return {notice::at_once, by::linn, linn::to_string(kind), name_of(kind)};
}
constexpr cell late(linn::misuse_kind kind) noexcept {
    return {notice::late, by::linn, linn::to_string(kind), name_of(kind)};
}
constexpr cell told(linn::misuse_kind kind) noexcept {
    return {notice::told, by::linn, linn::to_string(kind), name_of(kind)};
}
constexpr cell says(const char* words) noexcept {
    return {notice::at_once, by::tool, words, words};
}
constexpr cell says_at_exit(const char* words) noexcept {
    return {notice::late, by::tool, words, words};
}
inline constexpr cell unnoticed{};
inline constexpr cell fault{notice::faults};
inline constexpr cell fine{notice::goes_on};

using linn::misuse_kind;
using enum linn::misuse_kind;
using namespace acts;

inline constexpr cell twice = says("attempting double-free");
inline constexpr cell not_a_block = says("attempting free on address which was not malloc()-ed");
/// AddressSanitizer then looks for its own header where there is none.
inline constexpr cell some_bad_free{notice::at_once, by::tool, "ERROR: AddressSanitizer: a",
                                    "attempting free, or alloc-dealloc-mismatch"};
inline constexpr cell mismatch = says("alloc-dealloc-mismatch");
inline constexpr cell freed_use = says("heap-use-after-free");
inline constexpr cell poisoned = says("use-after-poison");
inline constexpr cell overflow = says("heap-buffer-overflow");
inline constexpr cell wrong_delete = says("new-delete-type-mismatch");
inline constexpr cell segv = says("SEGV on unknown address");
inline constexpr cell leaked = says_at_exit("detected memory leaks");
inline constexpr cell bad_free = says("Invalid free()");
inline constexpr cell mismatched = says("Mismatched free()");
inline constexpr cell bad_write = says("Invalid write of size");
inline constexpr cell bad_read = says("Invalid read of size");
inline constexpr cell unwritten = says("uninitialised value");
inline constexpr cell lost = says_at_exit("definitely lost");

/// The same in every build and under every tool.
constexpr row everywhere(const char* part, const char* misuse, void (*act)(), cell c) noexcept {
    return {part, misuse, act, c, c, c, c};
}
/// Noticed when the object returns to its slab, and at once in a checked build.
constexpr row late_unless_checked(const char* part, const char* misuse, void (*act)(), misuse_kind kind,
                                  cell by_asan, cell by_memcheck) noexcept {
    return {part, misuse, act, late(kind), now(kind), by_asan, by_memcheck};
}
constexpr row late_unless_checked(const char* part, const char* misuse, void (*act)(),
                                  misuse_kind kind) noexcept {
    return late_unless_checked(part, misuse, act, kind, late(kind), late(kind));
}

// clang-format off: a row reads as one of the page's
inline constexpr row misuses[] = {
    late_unless_checked("pool", "freed twice", &free_twice<in_pool>, double_free, twice, bad_free),
    late_unless_checked("pool", "freed twice, with other frees between", &free_twice_after_others<in_pool>, double_free, twice, bad_free),
    late_unless_checked("pool", "freed twice, by two threads", &free_twice_in_threads<in_pool>, double_free, twice, bad_free),
    late_unless_checked("pool", "static memory freed", &free_static<in_pool>, foreign_pointer, not_a_block, bad_free),
    late_unless_checked("pool", "memory of `malloc` freed", &free_malloced<in_pool>, foreign_pointer, mismatch, mismatched),
    late_unless_checked("pool", "memory of `new` freed", &free_new<in_pool>, foreign_pointer, unnoticed, unnoticed),
    late_unless_checked("pool", "pointer into an object freed", &free_inside<in_pool, 16>, interior_pointer, not_a_block, bad_free),
    late_unless_checked("pool", "misaligned pointer freed", &free_inside<in_pool, 1>, misaligned_pointer, some_bad_free, bad_free),
    late_unless_checked("pool", "freed to another type's pool", &free_to_another<in_pool>, wrong_pool, now(wrong_pool), now(wrong_pool)),
    {"pool", "written after free", &use_after_free<in_pool, true>, unnoticed, late(write_after_free), freed_use, bad_write},
    {"pool", "read after free", &use_after_free<in_pool, false>, unnoticed, unnoticed, freed_use, bad_read},
    {"pool", "written beyond its end", &write_beyond<in_pool, behind>, unnoticed, late(overrun), overflow, bad_write},
    {"pool", "written before its start", &write_beyond<in_pool, -1>, unnoticed, late(underrun), overflow, bad_write},
    {"pool", "read before it is written", &read_unwritten<in_pool>, unnoticed, unnoticed, unnoticed, unwritten},
    {"pool", "lost", &lose_one<in_pool>, unnoticed, unnoticed, leaked, lost},

    late_unless_checked("local_pool", "freed twice", &free_twice<in_local_pool>, double_free),
    late_unless_checked("local_pool", "freed twice, with other frees between", &free_twice_after_others<in_local_pool>, double_free),
    late_unless_checked("local_pool", "static memory freed", &free_static<in_local_pool>, foreign_pointer),
    late_unless_checked("local_pool", "memory of `malloc` freed", &free_malloced<in_local_pool>, foreign_pointer),
    late_unless_checked("local_pool", "memory of `new` freed", &free_new<in_local_pool>, foreign_pointer),
    late_unless_checked("local_pool", "pointer into an object freed", &free_inside<in_local_pool, 16>, interior_pointer),
    late_unless_checked("local_pool", "misaligned pointer freed", &free_inside<in_local_pool, 1>, misaligned_pointer),
    late_unless_checked("local_pool", "freed to another `local_pool`", &free_to_another<in_local_pool>, foreign_pointer),
    {"local_pool", "written after free", &use_after_free<in_local_pool, true>, unnoticed, late(write_after_free), poisoned, unnoticed},
    {"local_pool", "read after free", &use_after_free<in_local_pool, false>, unnoticed, unnoticed, poisoned, unnoticed},
    {"local_pool", "written beyond its end", &write_beyond<in_local_pool, behind>, unnoticed, late(overrun), unnoticed, unnoticed},
    {"local_pool", "written before its start", &write_beyond<in_local_pool, -1>, unnoticed, late(underrun), unnoticed, unnoticed},
    {"local_pool", "read before it is written", &read_unwritten<in_local_pool>, unnoticed, unnoticed, unnoticed, unwritten},
    {"local_pool", "written after `release()`", &use_after_release<in_local_pool>, unnoticed, late(write_after_free), poisoned, unnoticed},
    late_unless_checked("local_pool", "freed after `release()`", &free_after_release<in_local_pool>, double_free),
    {"local_pool", "written after the pool is gone", &use_after_local_pool, unnoticed, unnoticed, freed_use, bad_write},
    everywhere("local_pool", "alive when the pool goes", &survive<linn::local_pool<item>>, told(objects_alive)),

    everywhere("fixed_pool", "freed twice", &free_twice<in_fixed_pool>, now(double_free)),
    everywhere("fixed_pool", "freed twice, with other frees between", &free_twice_after_others<in_fixed_pool>, now(double_free)),
    everywhere("fixed_pool", "static memory freed", &free_static<in_fixed_pool>, now(foreign_pointer)),
    everywhere("fixed_pool", "memory of `malloc` freed", &free_malloced<in_fixed_pool>, now(foreign_pointer)),
    everywhere("fixed_pool", "pointer into an object freed", &free_inside<in_fixed_pool, 16>, now(interior_pointer)),
    everywhere("fixed_pool", "misaligned pointer freed", &free_inside<in_fixed_pool, 1>, now(misaligned_pointer)),
    everywhere("fixed_pool", "freed to another `fixed_pool`", &free_to_another<in_fixed_pool>, now(foreign_pointer)),
    {"fixed_pool", "written before it is handed out", &use_before_fixed_pool, unnoticed, unnoticed, poisoned, unnoticed},
    {"fixed_pool", "written after free", &use_after_free<in_fixed_pool, true>, unnoticed, unnoticed, poisoned, unnoticed},
    {"fixed_pool", "read after free", &use_after_free<in_fixed_pool, false>, unnoticed, unnoticed, poisoned, unnoticed},
    {"fixed_pool", "written beyond its end", &write_beyond<in_fixed_pool, behind>, unnoticed, unnoticed, unnoticed, unnoticed},
    {"fixed_pool", "written after `release()`", &use_after_release<in_fixed_pool>, unnoticed, unnoticed, poisoned, unnoticed},
    everywhere("fixed_pool", "freed after `release()`", &free_after_release<in_fixed_pool>, now(double_free)),
    {"fixed_pool", "alive when the pool goes", &survive<linn::fixed_pool<item, 4>>, fine, told(objects_alive), fine, fine},

    late_unless_checked("allocator", "freed twice", &free_twice<in_allocator>, double_free, twice, bad_free),
    late_unless_checked("allocator", "freed to another type's allocator", &free_to_another<in_allocator>, wrong_pool, now(wrong_pool), now(wrong_pool)),
    {"allocator", "allocated as one, freed as an array", &free_another_number<1, 2>, unnoticed, unnoticed, wrong_delete, unnoticed},
    late_unless_checked("allocator", "allocated as an array, freed as one", &free_another_number<2, 1>, foreign_pointer, unnoticed, unnoticed),
    {"allocator", "node written after `erase`", &use_after_erase<true>, unnoticed, late(write_after_free), freed_use, bad_write},
    {"allocator", "node read after `erase`", &use_after_erase<false>, unnoticed, unnoticed, freed_use, bad_read},

    late_unless_checked("pooled", "deleted twice", &free_twice<in_pooled>, double_free, twice, bad_free),
    late_unless_checked("pooled", "deleted as a base without virtual destructor", &delete_as_base, foreign_pointer, unnoticed, unnoticed),
    {"pooled", "written after `delete`", &use_after_free<in_pooled, true>, unnoticed, late(write_after_free), freed_use, bad_write},

    late_unless_checked("memory", "owned by two `unique_ptr`s", &free_twice<in_unique_ptr>, double_free, twice, bad_free),
    late_unless_checked("memory", "`unique_ptr` of an object of another type's pool", &free_to_another<in_unique_ptr>, wrong_pool, now(wrong_pool), now(wrong_pool)),
    late_unless_checked("memory", "`unique_ptr` of an object from `new`", &free_new<in_unique_ptr>, foreign_pointer, unnoticed, unnoticed),
    {"memory", "written after its last `shared_ptr`", &use_after_shared<true>, unnoticed, late(write_after_free), freed_use, bad_write},
    {"memory", "read after its last `shared_ptr`", &use_after_shared<false>, unnoticed, unnoticed, freed_use, bad_read},

    late_unless_checked("memory_resource", "freed twice", &free_twice<in_resource>, double_free, now(foreign_pointer), now(foreign_pointer)),
    late_unless_checked("memory_resource", "freed twice, with other frees between", &free_twice_after_others<in_resource>, double_free, now(foreign_pointer), now(foreign_pointer)),
    {"memory_resource", "freed twice, by two threads", &free_twice_in_threads<in_resource>, unnoticed, now(double_free), now(foreign_pointer), now(foreign_pointer)},
    {"memory_resource", "large block freed twice", &free_large_twice, unnoticed, now(foreign_pointer), now(foreign_pointer), now(foreign_pointer)},
    late_unless_checked("memory_resource", "static memory freed", &free_static<in_resource>, foreign_pointer, now(foreign_pointer), now(foreign_pointer)),
    late_unless_checked("memory_resource", "memory of `malloc` freed", &free_malloced<in_resource>, foreign_pointer, now(foreign_pointer), now(foreign_pointer)),
    late_unless_checked("memory_resource", "pointer into a block freed", &free_inside<in_resource, 16>, interior_pointer, now(foreign_pointer), now(foreign_pointer)),
    late_unless_checked("memory_resource", "misaligned pointer freed", &free_inside<in_resource, 1>, interior_pointer, now(foreign_pointer), now(foreign_pointer)),
    late_unless_checked("memory_resource", "freed to another resource", &free_to_another<in_resource>, wrong_pool, now(wrong_pool), now(wrong_pool)),
    late_unless_checked("memory_resource", "freed with another size", &free_with_another<1000, alignof(item)>, wrong_size, now(wrong_size), now(wrong_size)),
    late_unless_checked("memory_resource", "freed with another alignment", &free_with_another<sizeof(item), 512>, wrong_size, now(wrong_size), now(wrong_size)),
    everywhere("memory_resource", "large block freed with another size", &free_large_with_another_size, now(wrong_size)),
    {"memory_resource", "written after free", &use_after_free<in_resource, true>, unnoticed, unnoticed, freed_use, bad_write},
    {"memory_resource", "read after free", &use_after_free<in_resource, false>, unnoticed, unnoticed, freed_use, bad_read},
    {"memory_resource", "written beyond its end", &write_beyond<in_resource, behind>, unnoticed, unnoticed, overflow, bad_write},
    {"memory_resource", "written before its start", &write_beyond<in_resource, -1>, unnoticed, unnoticed, poisoned, unnoticed},
    {"memory_resource", "read before it is written", &read_unwritten<in_resource>, unnoticed, unnoticed, unnoticed, unwritten},
    {"memory_resource", "written after `release()`", &use_after_release<in_resource>, unnoticed, unnoticed, freed_use, bad_write},
    {"memory_resource", "freed after `release()`", &free_after_release<in_resource>, unnoticed, now(foreign_pointer), now(foreign_pointer), now(foreign_pointer)},
    {"memory_resource", "written after the resource is gone", &use_after_resource, unnoticed, unnoticed, freed_use, bad_write},

    everywhere("recycler", "recycled twice", &free_twice<in_recycler>, now(double_free)),
    everywhere("recycler", "recycled twice, with others between", &free_twice_after_others<in_recycler>, now(double_free)),
    everywhere("recycler", "recycled twice, by two threads", &free_twice_in_threads<in_recycler>, now(double_free)),
    everywhere("recycler", "recycled though a `shared_ptr` owns it", &recycle_what_is_shared, now(double_free)),
    everywhere("recycler", "static memory recycled", &free_static<in_recycler>, now(foreign_pointer)),
    everywhere("recycler", "misaligned pointer recycled", &free_inside<in_recycler, 1>, now(foreign_pointer)),
    {"recycler", "pointer into an object recycled", &free_inside<in_recycler, 16>, unnoticed, unnoticed, unnoticed, unnoticed},
    {"recycler", "written after it was returned", &use_after_free<in_recycler, true>, unnoticed, unnoticed, poisoned, unnoticed},
    {"recycler", "read after it was returned", &use_after_free<in_recycler, false>, unnoticed, unnoticed, poisoned, unnoticed},
    {"recycler", "written beyond its end", &write_beyond<in_recycler, behind>, unnoticed, late(overrun), poisoned, bad_write},
    {"recycler", "written after the recycler is gone", &use_after_recycler, unnoticed, late(write_after_free), freed_use, bad_write},
    everywhere("recycler", "returned after the recycler is gone", &return_after_end<linn::recycler<item>>, fine),
    {"recycler", "lost", &lose_one<in_recycler>, unnoticed, unnoticed, leaked, lost},

    {"handle_pool", "written after it was destroyed", &use_after_destroy<true>, unnoticed, late(write_after_free), poisoned, bad_write},
    {"handle_pool", "read after it was destroyed", &use_after_destroy<false>, unnoticed, unnoticed, poisoned, bad_read},

    everywhere("buffer_pool", "returned twice", &give_buffer_back_twice, fine),
    everywhere("buffer_pool", "returned after the pool is gone", &return_after_end<linn::buffer_pool>, fine),
    {"buffer_pool", "written after it was returned", &use_buffer_after_return<true>, unnoticed, fault, poisoned, fault},
    {"buffer_pool", "read after it was returned", &use_buffer_after_return<false>, unnoticed, fault, poisoned, fault},
    {"buffer_pool", "written after its last `shared_ptr`", &use_shared_buffer_after_return, unnoticed, fault, poisoned, fault},
    {"buffer_pool", "written after the pool is gone and it was returned", &use_buffer_after_pool, unnoticed, fault, segv, fault},
    everywhere("buffer_pool", "written beyond its size, within its capacity", &write_beyond_buffer<false>, fine),
    {"buffer_pool", "written beyond its capacity", &write_beyond_buffer<true>, unnoticed, fault, poisoned, fault},
};
// clang-format on

} // namespace linn_test

#endif
