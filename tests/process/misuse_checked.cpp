// SPDX-License-Identifier: Apache-2.0
// Promise: with LINN_CHECKED every wrong deallocation is noticed at once, and every write to free memory or
// just outside an object when that memory changes hands; each is named for what it is, and reported
// with type and address; the default is to end the program, a handler that returns makes
// the pool ignore the call, and goes on with a pool that is whole.
//
// Breaks when a check is skipped or looks at memory that is not there. A handler must be called exactly once, and without
// one the program must end: for each misuse that is misuse_matrix. This file switches the checks on itself, so it means
// the same in every build.
#undef LINN_CHECKED
#define LINN_CHECKED 1
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    std::int64_t words[8];
};
struct other {
    std::int64_t words[8];
};

using pool = linn::pool<item>;

std::vector<linn::misuse> seen;

void note(const linn::misuse& m) noexcept {
    seen.push_back(m);
}

/// So that the compiler neither warns nor leaves out what is wrong.
template <class T>
T* hidden(T* p) {
    T* volatile same = p;
    return same;
}

constexpr std::ptrdiff_t any = PTRDIFF_MAX;

template <class Misuse>
void expect(const char* what, linn::misuse_kind kind, std::ptrdiff_t offset, Misuse&& wrong) {
    const std::size_t live = pool::statistics().live;
    seen.clear();
    linn::set_misuse_handler(&note);
    const void* address = wrong();
    linn::set_misuse_handler(nullptr);
    if (seen.size() != 1 || seen[0].kind != kind || seen[0].address != address) {
        std::fprintf(stderr, "%s: seen %zu, %s\n", what, seen.size(),
                     seen.empty() ? "nothing" : linn::to_string(seen[0].kind));
        std::exit(1);
    }
    CHECK(seen[0].count == 1);
    CHECK(seen[0].type.find("item") != std::string_view::npos);
    CHECK(seen[0].object_bytes == sizeof(item));
    CHECK(offset == any || (seen[0].offset == offset && seen[0].object == address));
    CHECK(pool::statistics().live == live);

    // The pool is whole.
    std::vector<item*> objects(500);
    pool::allocate_n(objects);
    for (item* object : objects) {
        std::memset(static_cast<void*>(object), 1, sizeof *object);
    }
    pool::deallocate_n(objects);
    CHECK(pool::statistics().live == live);
}

item* at(std::uintptr_t bits) {
    void* p = nullptr;
    std::memcpy(&p, &bits, sizeof p);
    return static_cast<item*>(p);
}

item* freed_twice() {
    item* p = pool::allocate();
    std::thread{[p] { pool::deallocate(p); }}.join();
    pool::deallocate(p);
    return p;
}

} // namespace

int main() {
    // AddressSanitizer itself reports the look at what lies around a wrong pointer.
    if (!linn_test::in_slabs() || linn_test::asan) {
        return linn_test::skip("a memory checker sees to it here");
    }
    item* kept = pool::create();

    expect("double free", linn::misuse_kind::double_free, any, &freed_twice);
    expect("double free after trim", linn::misuse_kind::double_free, any, [] {
        item* p = pool::allocate();
        pool::deallocate(p);
        pool::trim();
        pool::deallocate(p);
        return p;
    });
    const auto freed = [](item* p) {
        pool::deallocate(p);
        return p;
    };
    const auto around = reinterpret_cast<std::uintptr_t>(kept);
    expect("interior", linn::misuse_kind::interior_pointer, any,
           [&] { return freed(at(around + sizeof(std::int64_t))); });
    expect("misaligned", linn::misuse_kind::misaligned_pointer, any, [&] { return freed(at(around + 1)); });
    expect("never handed out", linn::misuse_kind::interior_pointer, any, [&] {
        return freed(at(around / 4096 * 4096));
    }); // the slab's header, or the middle of the objects
    expect("an address where nothing is", linn::misuse_kind::foreign_pointer, any,
           [&] { return freed(at(64 * linn_test::mib)); });
    static void* const of_other = linn::pool<other>::allocate();
    expect("of another pool", linn::misuse_kind::wrong_pool, any,
           [&] { return freed(static_cast<item*>(of_other)); });
    // What is not a free at all: the memory is looked at when it changes hands, or on request.
    expect("written after free, seen by check", linn::misuse_kind::write_after_free, 7 * sizeof(std::int64_t),
           [] {
               item* p = pool::allocate();
               std::int64_t* word = hidden(&p->words[7]);
               pool::deallocate(p);
               CHECK(pool::check() == 0);
               *word = 1;
               CHECK(pool::check() == 1);
               CHECK(pool::check() == 0);
               return p;
           });
    expect("written after free, seen by trim", linn::misuse_kind::write_after_free, 0, [] {
        item* p = pool::allocate();
        char* byte = hidden(reinterpret_cast<char*>(p));
        pool::deallocate(p);
        *byte = 1;
        pool::trim();
        return p;
    });
    expect("written before its start, seen at its free", linn::misuse_kind::underrun, -1, [] {
        item* p = pool::allocate();
        *hidden(reinterpret_cast<char*>(p) - 1) = 1;
        pool::deallocate(p);
        return p;
    });
    expect("written beyond its end, seen by check of all pools", linn::misuse_kind::overrun, sizeof(item) + 7,
           [] {
               item* p = pool::allocate();
               *hidden(reinterpret_cast<char*>(p) + sizeof(item) + 7) = 1;
               CHECK(linn::check_pools() == 1);
               pool::deallocate(p);
               return p;
           });
    pool::destroy(kept);

    const auto unhandled = linn_test::run_child([] { freed_twice(); });
    unhandled.expect(unhandled.killed_by(SIGABRT) || linn_test::tsan, "without a handler");
    unhandled.expect(unhandled.says("linn: ") && unhandled.says("item") && unhandled.says("freed twice"),
                     "without a handler");

    // When the program ends, though nobody asks and static objects were destroyed after main.
    const auto at_exit = linn_test::run_child([] {
        static item* late = pool::allocate();
        static const struct last {
            ~last() {
                std::int64_t* word = hidden(&late->words[2]);
                pool::deallocate(late);
                *word = 1;
            }
        } l;
    });
    at_exit.expect(at_exit.killed_by(SIGABRT) || linn_test::tsan, "written after free, seen at exit");
    at_exit.expect(at_exit.says("written to after it was freed") && at_exit.says("first changed byte: 16, "),
                   "written after free, seen at exit");
}
