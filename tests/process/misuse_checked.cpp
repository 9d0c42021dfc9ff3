// SPDX-License-Identifier: Apache-2.0
// Promise: with LINN_CHECKED every wrong deallocation is noticed at once, and every write to free memory or just outside an object
// when that memory changes hands; each is named for what it is, and reported with type and address. A handler that returns makes
// the pool ignore the call, and goes on with a pool that is whole. By default the program ends, with the names of the functions
// that allocated the object and freed it first; the leak report says who allocated what is alive.
//
// Breaks when a check is skipped or looks at memory that is not there, and when the addresses that are recorded lie in the library
// itself, in a function that happens to be inlined or not. A handler must be called exactly once, and without one the program must
// end: for each misuse that is misuse_matrix. This file switches the checks on itself, so it means the same in every build. The
// functions here are exported (-rdynamic), so that their names can be looked for.
#undef LINN_CHECKED
#define LINN_CHECKED 1
#include "process.hpp"

#include <linn/linn.hpp>

struct parcel {
    std::int64_t words[6];
};
using pool = linn::pool<parcel>;

// `inline` so that they need no declaration; they are not inlined.
[[gnu::noinline]] inline parcel* pack_parcel() {
    parcel* p = pool::create();
    asm volatile("" : : "r"(p) : "memory"); // or the call would be a jump, and this function no caller
    return p;
}
[[gnu::noinline]] inline void throw_parcel_away(parcel* p) {
    pool::destroy(p);
    asm volatile("");
}
[[gnu::noinline]] inline void lose_parcel(parcel* p) {
    pool::destroy(p);
    asm volatile("");
}
[[gnu::noinline]] inline void fill_list(linn::list<int>& list) {
    list.push_back(1);
    asm volatile("");
}
[[gnu::noinline]] inline void drain_list(linn::list<int>& list) {
    list.pop_back();
    asm volatile("");
}
[[gnu::noinline]] inline parcel* pack_locally(linn::local_pool<parcel>& local) {
    parcel* p = local.create();
    asm volatile("" : : "r"(p) : "memory");
    return p;
}
[[gnu::noinline]] inline void drop_locally(linn::local_pool<parcel>& local, parcel* p) {
    local.destroy(p);
    asm volatile("");
}
[[gnu::noinline]] inline void drop_many(std::span<parcel* const> all) {
    pool::deallocate_n(all);
    asm volatile("");
}

namespace {

struct other {
    std::int64_t words[6];
};

/// So that the compiler neither warns nor leaves out what is wrong.
template <class T>
T* hidden(T* p) {
    T* volatile same = p;
    return same;
}

parcel* at(std::uintptr_t bits) {
    void* p = nullptr;
    std::memcpy(&p, &bits, sizeof p);
    return static_cast<parcel*>(p);
}

// --- what is noticed -------------------------------------------------------------------------------------

std::vector<linn::misuse> seen;

constexpr std::ptrdiff_t any = PTRDIFF_MAX;

template <class Misuse>
void expect(const char* what, linn::misuse_kind kind, std::ptrdiff_t offset, Misuse&& wrong) {
    const std::size_t live = pool::statistics().live;
    seen.clear();
    linn::set_misuse_handler([](const linn::misuse& m) noexcept { seen.push_back(m); });
    const void* address = wrong();
    linn::set_misuse_handler(nullptr);
    if (seen.size() != 1 || seen[0].kind != kind || seen[0].address != address) {
        std::fprintf(stderr, "%s: seen %zu, %s\n", what, seen.size(),
                     seen.empty() ? "nothing" : linn::to_string(seen[0].kind));
        std::exit(1);
    }
    CHECK(seen[0].count == 1);
    CHECK(seen[0].type.find("parcel") != std::string_view::npos);
    CHECK(seen[0].object_bytes == sizeof(parcel));
    CHECK(offset == any || (seen[0].offset == offset && seen[0].object == address));
    CHECK(pool::statistics().live == live);

    // The pool is whole.
    std::vector<parcel*> objects(500);
    pool::allocate_n(objects);
    for (parcel* object : objects) {
        std::memset(static_cast<void*>(object), 1, sizeof *object);
    }
    pool::deallocate_n(objects);
    CHECK(pool::statistics().live == live);
}

void what_is_noticed() {
    using enum linn::misuse_kind;
    parcel* kept = pool::create();
    const auto freed = [](parcel* p) {
        pool::deallocate(p);
        return p;
    };
    expect("freed twice, first by a thread that is gone", double_free, any, [&] {
        parcel* p = pool::allocate();
        std::thread{[p] { pool::deallocate(p); }}.join();
        return freed(p);
    });
    expect("freed twice, with a trim between", double_free, any, [&] {
        parcel* p = freed(pool::allocate());
        pool::trim();
        return freed(p);
    });
    const auto around = reinterpret_cast<std::uintptr_t>(kept);
    expect("interior", interior_pointer, any, [&] { return freed(at(around + sizeof(std::int64_t))); });
    expect("misaligned", misaligned_pointer, any, [&] { return freed(at(around + 1)); });
    // The slab's header, or the middle of the objects.
    expect("never handed out", interior_pointer, any, [&] { return freed(at(around / 4096 * 4096)); });
    expect("an address where nothing is", foreign_pointer, any,
           [&] { return freed(at(64 * linn_test::mib)); });
    static void* const of_other = linn::pool<other>::allocate();
    expect("of another pool", wrong_pool, any, [&] { return freed(static_cast<parcel*>(of_other)); });
    // What is not a free at all: the memory is looked at when it changes hands, or on request.
    expect("written after free, seen by check", write_after_free, 5 * sizeof(std::int64_t), [] {
        parcel* p = pool::allocate();
        std::int64_t* word = hidden(&p->words[5]);
        pool::deallocate(p);
        CHECK(pool::check() == 0);
        *word = 1;
        CHECK(pool::check() == 1);
        CHECK(pool::check() == 0);
        return p;
    });
    expect("written after free, seen by trim", write_after_free, 0, [&] {
        parcel* p = pool::allocate();
        char* byte = hidden(reinterpret_cast<char*>(p));
        pool::deallocate(p);
        *byte = 1;
        pool::trim();
        return p;
    });
    expect("written before its start, seen at its free", underrun, -1, [&] {
        parcel* p = pool::allocate();
        *hidden(reinterpret_cast<char*>(p) - 1) = 1;
        return freed(p);
    });
    expect("written beyond its end, seen by check of all pools", overrun, sizeof(parcel) + 7, [&] {
        parcel* p = pool::allocate();
        *hidden(reinterpret_cast<char*>(p) + sizeof(parcel) + 7) = 1;
        CHECK(linn::check_pools() == 1);
        return freed(p);
    });
    pool::destroy(kept);

    // When the program ends, though nobody asks and static objects were destroyed after main.
    const auto at_exit = linn_test::run_child([] {
        static parcel* late = pool::allocate();
        static const struct last {
            ~last() {
                std::int64_t* word = hidden(&late->words[2]);
                pool::deallocate(late);
                *word = 1;
            }
        } l;
    });
    at_exit.expect((at_exit.killed_by(SIGABRT) || linn_test::tsan) &&
                       at_exit.says("written to after it was freed") &&
                       at_exit.says("first changed byte: 16, "),
                   "written after free, seen at exit");
}

// --- who did it ------------------------------------------------------------------------------------------

/// Whether `first` is in the text before `second`.
bool in_order(std::string_view text, std::string_view first, std::string_view second) {
    const std::size_t a = text.find(first);
    return a != std::string_view::npos && text.find(second, a) != std::string_view::npos;
}

template <class Body>
void expect_callers(const char* what, const char* freed_by, const char* allocated_by, Body&& body) {
    const auto child = linn_test::run_child(body);
    child.expect(child.killed_by(SIGABRT) && child.says("linn: "), what);
    child.expect(in_order(child.error, "freed by", freed_by), what);
    child.expect(in_order(child.error, "allocated by", allocated_by), what);
    child.expect(!child.says("lose_parcel"), what); // the second free is where the program stops
}

void who_did_it() {
    expect_callers("freed twice", "throw_parcel_away", "pack_parcel", [] {
        parcel* p = pack_parcel();
        throw_parcel_away(p);
        lose_parcel(p);
    });
    expect_callers("freed twice, first by a thread that is gone", "throw_parcel_away", "pack_parcel", [] {
        parcel* p = pack_parcel();
        std::thread{[p] { throw_parcel_away(p); }}.join();
        lose_parcel(p);
    });
    expect_callers("freed twice, first among many", "drop_many", "pack_parcel", [] {
        parcel* all[3] = {pack_parcel(), pack_parcel(), pack_parcel()};
        drop_many(all);
        lose_parcel(all[1]);
    });
    expect_callers("written after free", "throw_parcel_away", "pack_parcel", [] {
        std::int64_t* volatile word = &pack_parcel()->words[1];
        throw_parcel_away(reinterpret_cast<parcel*>(word - 1));
        *word = 4;
        static_cast<void>(pack_parcel());
    });
    expect_callers("written after free, a node of a container", "drain_list", "fill_list", [] {
        linn::list<int> list;
        fill_list(list);
        int* volatile value = &list.back();
        drain_list(list);
        *value = 4;
        fill_list(list);
    });
    expect_callers("freed twice to a local_pool", "drop_locally", "pack_locally", [] {
        linn::local_pool<parcel> local;
        parcel* kept = pack_locally(local);
        parcel* p = pack_locally(local);
        drop_locally(local, p);
        local.deallocate(p);
        local.destroy(kept);
    });

    // What the handler gets says the same.
    expect("written beyond its end", linn::misuse_kind::overrun, sizeof(parcel), [] {
        parcel* p = pack_parcel();
        *hidden(reinterpret_cast<char*>(p + 1)) = 1;
        throw_parcel_away(p);
        CHECK(seen[0].freed_by.empty() && !seen[0].allocated_by.empty());
        return p;
    });

    parcel* alive = pack_parcel();
    const std::string report = linn::leak_report();
    CHECK(in_order(report, "linn: 1 object of 48 bytes alive: parcel", "allocated by"));
    CHECK(in_order(report, "allocated by", "pack_parcel"));
    throw_parcel_away(alive);
}

} // namespace

int main() {
    // AddressSanitizer itself reports the look at what lies around a wrong pointer.
    if (!linn_test::in_slabs() || linn_test::asan) {
        return linn_test::skip("a memory checker sees to it here");
    }
    what_is_noticed();
#if defined(__GLIBC__)      // elsewhere nothing knows the names of functions
    if (!linn_test::tsan) { // which has stacks of its own
        who_did_it();
    }
#endif
}
