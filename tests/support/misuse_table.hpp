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
inline constexpr cell nobody{};
inline constexpr cell fault{notice::faults};
inline constexpr cell fine{notice::goes_on};

using linn::misuse_kind;
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
constexpr row late_unless_checked(const char* part, const char* misuse, void (*act)(),
                                  misuse_kind kind) noexcept {
    return {part, misuse, act, late(kind), now(kind), late(kind), late(kind)};
}

// clang-format off: a row reads as one of the page's
inline constexpr row misuses[] = {
    {"pool", "freed twice", &free_twice<in_pool>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), twice, bad_free},
    {"pool", "freed twice, with other frees between", &free_twice_after_others<in_pool>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), twice, bad_free},
    {"pool", "freed twice, by two threads", &free_twice_in_threads<in_pool>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), twice, bad_free},
    {"pool", "static memory freed", &free_static<in_pool>,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), not_a_block, bad_free},
    {"pool", "memory of `malloc` freed", &free_malloced<in_pool>,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), mismatch, mismatched},
    {"pool", "memory of `new` freed", &free_new<in_pool>,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), nobody, nobody},
    {"pool", "pointer into an object freed", &free_inside<in_pool, 16>,
     late(misuse_kind::interior_pointer), now(misuse_kind::interior_pointer), not_a_block, bad_free},
    {"pool", "misaligned pointer freed", &free_inside<in_pool, 1>,
     late(misuse_kind::misaligned_pointer), now(misuse_kind::misaligned_pointer), some_bad_free, bad_free},
    {"pool", "freed to another type's pool", &free_to_another<in_pool>,
     late(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool)},
    {"pool", "written after free", &write_after_free<in_pool>,
     nobody, late(misuse_kind::write_after_free), freed_use, bad_write},
    {"pool", "read after free", &read_after_free<in_pool>,
     nobody, nobody, freed_use, bad_read},
    {"pool", "written beyond its end", &write_beyond<in_pool, behind>,
     nobody, late(misuse_kind::overrun), overflow, bad_write},
    {"pool", "written before its start", &write_beyond<in_pool, -1>,
     nobody, late(misuse_kind::underrun), overflow, bad_write},
    {"pool", "read before it is written", &read_unwritten<in_pool>,
     nobody, nobody, nobody, unwritten},
    {"pool", "lost", &lose_one<in_pool>,
     nobody, nobody, leaked, lost},

    late_unless_checked("local_pool", "freed twice", &free_twice<in_local_pool>, misuse_kind::double_free),
    late_unless_checked("local_pool", "freed twice, with other frees between", &free_twice_after_others<in_local_pool>, misuse_kind::double_free),
    late_unless_checked("local_pool", "static memory freed", &free_static<in_local_pool>, misuse_kind::foreign_pointer),
    late_unless_checked("local_pool", "memory of `malloc` freed", &free_malloced<in_local_pool>, misuse_kind::foreign_pointer),
    late_unless_checked("local_pool", "memory of `new` freed", &free_new<in_local_pool>, misuse_kind::foreign_pointer),
    late_unless_checked("local_pool", "pointer into an object freed", &free_inside<in_local_pool, 16>, misuse_kind::interior_pointer),
    late_unless_checked("local_pool", "misaligned pointer freed", &free_inside<in_local_pool, 1>, misuse_kind::misaligned_pointer),
    late_unless_checked("local_pool", "freed to another `local_pool`", &free_to_another<in_local_pool>, misuse_kind::foreign_pointer),
    {"local_pool", "written after free", &write_after_free<in_local_pool>,
     nobody, late(misuse_kind::write_after_free), poisoned, nobody},
    {"local_pool", "read after free", &read_after_free<in_local_pool>,
     nobody, nobody, poisoned, nobody},
    {"local_pool", "written beyond its end", &write_beyond<in_local_pool, behind>,
     nobody, late(misuse_kind::overrun), nobody, nobody},
    {"local_pool", "written before its start", &write_beyond<in_local_pool, -1>,
     nobody, late(misuse_kind::underrun), nobody, nobody},
    {"local_pool", "read before it is written", &read_unwritten<in_local_pool>,
     nobody, nobody, nobody, unwritten},
    {"local_pool", "written after `release()`", &use_after_release<in_local_pool>,
     nobody, late(misuse_kind::write_after_free), poisoned, nobody},
    late_unless_checked("local_pool", "freed after `release()`", &free_after_release<in_local_pool>, misuse_kind::double_free),
    {"local_pool", "written after the pool is gone", &use_after_local_pool,
     nobody, nobody, freed_use, bad_write},
    everywhere("local_pool", "alive when the pool goes", &survive<linn::local_pool<item>>, told(misuse_kind::objects_alive)),

    everywhere("fixed_pool", "freed twice", &free_twice<in_fixed_pool>, now(misuse_kind::double_free)),
    everywhere("fixed_pool", "freed twice, with other frees between", &free_twice_after_others<in_fixed_pool>, now(misuse_kind::double_free)),
    everywhere("fixed_pool", "static memory freed", &free_static<in_fixed_pool>, now(misuse_kind::foreign_pointer)),
    everywhere("fixed_pool", "memory of `malloc` freed", &free_malloced<in_fixed_pool>, now(misuse_kind::foreign_pointer)),
    everywhere("fixed_pool", "pointer into an object freed", &free_inside<in_fixed_pool, 16>, now(misuse_kind::interior_pointer)),
    everywhere("fixed_pool", "misaligned pointer freed", &free_inside<in_fixed_pool, 1>, now(misuse_kind::misaligned_pointer)),
    everywhere("fixed_pool", "freed to another `fixed_pool`", &free_to_another<in_fixed_pool>, now(misuse_kind::foreign_pointer)),
    {"fixed_pool", "written before it is handed out", &use_before_fixed_pool,
     nobody, nobody, poisoned, nobody},
    {"fixed_pool", "written after free", &write_after_free<in_fixed_pool>,
     nobody, nobody, poisoned, nobody},
    {"fixed_pool", "read after free", &read_after_free<in_fixed_pool>,
     nobody, nobody, poisoned, nobody},
    {"fixed_pool", "written beyond its end", &write_beyond<in_fixed_pool, behind>,
     nobody, nobody, nobody, nobody},
    {"fixed_pool", "written after `release()`", &use_after_release<in_fixed_pool>,
     nobody, nobody, poisoned, nobody},
    everywhere("fixed_pool", "freed after `release()`", &free_after_release<in_fixed_pool>, now(misuse_kind::double_free)),
    {"fixed_pool", "alive when the pool goes", &survive<linn::fixed_pool<item, 4>>,
     fine, told(misuse_kind::objects_alive), fine, fine},

    {"allocator", "freed twice", &free_twice<in_allocator>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), twice, bad_free},
    {"allocator", "freed to another type's allocator", &free_to_another<in_allocator>,
     late(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool)},
    {"allocator", "allocated as one, freed as an array", &allocate_one_free_two,
     nobody, nobody, wrong_delete, nobody},
    {"allocator", "allocated as an array, freed as one", &allocate_two_free_one,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), nobody, nobody},
    {"allocator", "node written after `erase`", &use_after_erase<true>,
     nobody, late(misuse_kind::write_after_free), freed_use, bad_write},
    {"allocator", "node read after `erase`", &use_after_erase<false>,
     nobody, nobody, freed_use, bad_read},

    {"pooled", "deleted twice", &free_twice<in_pooled>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), twice, bad_free},
    {"pooled", "deleted as a base without virtual destructor", &delete_as_base,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), nobody, nobody},
    {"pooled", "written after `delete`", &write_after_free<in_pooled>,
     nobody, late(misuse_kind::write_after_free), freed_use, bad_write},

    {"memory", "owned by two `unique_ptr`s", &free_twice<in_unique_ptr>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), twice, bad_free},
    {"memory", "`unique_ptr` of an object of another type's pool", &free_to_another<in_unique_ptr>,
     late(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool)},
    {"memory", "`unique_ptr` of an object from `new`", &free_new<in_unique_ptr>,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), nobody, nobody},
    {"memory", "written after its last `shared_ptr`", &use_after_shared<true>,
     nobody, late(misuse_kind::write_after_free), freed_use, bad_write},
    {"memory", "read after its last `shared_ptr`", &use_after_shared<false>,
     nobody, nobody, freed_use, bad_read},

    {"memory_resource", "freed twice", &free_twice<in_resource>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "freed twice, with other frees between", &free_twice_after_others<in_resource>,
     late(misuse_kind::double_free), now(misuse_kind::double_free), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "freed twice, by two threads", &free_twice_in_threads<in_resource>,
     nobody, now(misuse_kind::double_free), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "large block freed twice", &free_large_twice,
     nobody, now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "static memory freed", &free_static<in_resource>,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "memory of `malloc` freed", &free_malloced<in_resource>,
     late(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "pointer into a block freed", &free_inside<in_resource, 16>,
     late(misuse_kind::interior_pointer), now(misuse_kind::interior_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "misaligned pointer freed", &free_inside<in_resource, 1>,
     late(misuse_kind::interior_pointer), now(misuse_kind::interior_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "freed to another resource", &free_to_another<in_resource>,
     late(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool), now(misuse_kind::wrong_pool)},
    {"memory_resource", "freed with another size", &free_with_another_size,
     late(misuse_kind::wrong_size), now(misuse_kind::wrong_size), now(misuse_kind::wrong_size), now(misuse_kind::wrong_size)},
    {"memory_resource", "freed with another alignment", &free_with_another_alignment,
     late(misuse_kind::wrong_size), now(misuse_kind::wrong_size), now(misuse_kind::wrong_size), now(misuse_kind::wrong_size)},
    everywhere("memory_resource", "large block freed with another size", &free_large_with_another_size, now(misuse_kind::wrong_size)),
    {"memory_resource", "written after free", &write_after_free<in_resource>,
     nobody, nobody, freed_use, bad_write},
    {"memory_resource", "read after free", &read_after_free<in_resource>,
     nobody, nobody, freed_use, bad_read},
    {"memory_resource", "written beyond its end", &write_beyond<in_resource, behind>,
     nobody, nobody, overflow, bad_write},
    {"memory_resource", "written before its start", &write_beyond<in_resource, -1>,
     nobody, nobody, poisoned, nobody},
    {"memory_resource", "read before it is written", &read_unwritten<in_resource>,
     nobody, nobody, nobody, unwritten},
    {"memory_resource", "written after `release()`", &use_after_release<in_resource>,
     nobody, nobody, freed_use, bad_write},
    {"memory_resource", "freed after `release()`", &free_after_release<in_resource>,
     nobody, now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer), now(misuse_kind::foreign_pointer)},
    {"memory_resource", "written after the resource is gone", &use_after_resource,
     nobody, nobody, freed_use, bad_write},

    everywhere("recycler", "recycled twice", &free_twice<in_recycler>, now(misuse_kind::double_free)),
    everywhere("recycler", "recycled twice, with others between", &free_twice_after_others<in_recycler>, now(misuse_kind::double_free)),
    everywhere("recycler", "recycled twice, by two threads", &free_twice_in_threads<in_recycler>, now(misuse_kind::double_free)),
    everywhere("recycler", "recycled though a `shared_ptr` owns it", &recycle_what_is_shared, now(misuse_kind::double_free)),
    everywhere("recycler", "static memory recycled", &free_static<in_recycler>, now(misuse_kind::foreign_pointer)),
    everywhere("recycler", "misaligned pointer recycled", &free_inside<in_recycler, 1>, now(misuse_kind::foreign_pointer)),
    {"recycler", "pointer into an object recycled", &free_inside<in_recycler, 16>,
     nobody, nobody, nobody, nobody},
    {"recycler", "written after it was returned", &write_after_free<in_recycler>,
     nobody, nobody, poisoned, nobody},
    {"recycler", "read after it was returned", &read_after_free<in_recycler>,
     nobody, nobody, poisoned, nobody},
    {"recycler", "written beyond its end", &write_beyond<in_recycler, behind>,
     nobody, late(misuse_kind::overrun), poisoned, bad_write},
    {"recycler", "written after the recycler is gone", &use_after_recycler,
     nobody, late(misuse_kind::write_after_free), freed_use, bad_write},
    everywhere("recycler", "returned after the recycler is gone", &return_after_recycler, fine),
    {"recycler", "lost", &lose_one<in_recycler>,
     nobody, nobody, leaked, lost},

    {"handle_pool", "written after it was destroyed", &use_after_destroy<true>,
     nobody, nobody, poisoned, bad_write},
    {"handle_pool", "read after it was destroyed", &use_after_destroy<false>,
     nobody, nobody, poisoned, bad_read},

    everywhere("buffer_pool", "returned twice", &give_buffer_back_twice, fine),
    everywhere("buffer_pool", "returned after the pool is gone", &give_buffer_back_after_pool, fine),
    {"buffer_pool", "written after it was returned", &use_buffer_after_return<true>,
     nobody, fault, poisoned, fault},
    {"buffer_pool", "read after it was returned", &use_buffer_after_return<false>,
     nobody, fault, poisoned, fault},
    {"buffer_pool", "written after its last `shared_ptr`", &use_shared_buffer_after_return,
     nobody, fault, poisoned, fault},
    {"buffer_pool", "written after the pool is gone and it was returned", &use_buffer_after_pool,
     nobody, fault, segv, fault},
    everywhere("buffer_pool", "written beyond its size, within its capacity", &write_beyond_buffer<false>, fine),
    {"buffer_pool", "written beyond its capacity", &write_beyond_buffer<true>,
     nobody, fault, poisoned, fault},
};
// clang-format on

} // namespace linn_test

#endif
