// SPDX-License-Identifier: Apache-2.0
// Promise: a checked build names the function that allocated an object and the one that freed it first,
// through pools, containers and local_pool, in another thread too; the default handler prints them, and the
// leak report says who allocated what is alive.
//
// Breaks when the addresses that are recorded lie in the library itself, in a function that happens to be
// inlined or not. The functions here are exported (-rdynamic), so that their names can be looked for.
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

/// Whether `first` is in the text before `second`.
bool in_order(std::string_view text, std::string_view first, std::string_view second) {
    const std::size_t a = text.find(first);
    return a != std::string_view::npos && text.find(second, a) != std::string_view::npos;
}

template <class Body>
void expect(const char* what, const char* freed_by, const char* allocated_by, Body&& body) {
    const auto child = linn_test::run_child(body);
    child.expect(child.killed_by(SIGABRT), what);
    child.expect(in_order(child.error, "freed by", freed_by), what);
    child.expect(in_order(child.error, "allocated by", allocated_by), what);
    child.expect(!child.says("lose_parcel"), what); // the second free is where the program stops
}

} // namespace

int main() {
    if (!linn_test::in_slabs() || linn_test::asan || linn_test::tsan) {
        return linn_test::skip("a memory checker has its own stacks");
    }
#if !defined(__GLIBC__)
    return linn_test::skip("nothing here knows the names of functions: no dynamic linker, or Windows");
#endif
    expect("freed twice", "throw_parcel_away", "pack_parcel", [] {
        parcel* p = pack_parcel();
        throw_parcel_away(p);
        lose_parcel(p);
    });
    expect("freed twice, first by a thread that is gone", "throw_parcel_away", "pack_parcel", [] {
        parcel* p = pack_parcel();
        std::thread{[p] { throw_parcel_away(p); }}.join();
        lose_parcel(p);
    });
    expect("freed twice, first among many", "drop_many", "pack_parcel", [] {
        parcel* all[3] = {pack_parcel(), pack_parcel(), pack_parcel()};
        drop_many(all);
        lose_parcel(all[1]);
    });
    expect("written after free", "throw_parcel_away", "pack_parcel", [] {
        std::int64_t* volatile word = &pack_parcel()->words[1];
        throw_parcel_away(reinterpret_cast<parcel*>(word - 1));
        *word = 4;
        static_cast<void>(pack_parcel());
    });
    expect("written after free, a node of a container", "drain_list", "fill_list", [] {
        linn::list<int> list;
        fill_list(list);
        int* volatile value = &list.back();
        drain_list(list);
        *value = 4;
        fill_list(list);
    });
    expect("freed twice to a local_pool", "drop_locally", "pack_locally", [] {
        linn::local_pool<parcel> local;
        parcel* kept = pack_locally(local);
        parcel* p = pack_locally(local);
        drop_locally(local, p);
        local.deallocate(p);
        local.destroy(kept);
    });

    // What the handler gets says the same.
    static const void* first_frame = nullptr;
    linn::set_misuse_handler([](const linn::misuse& m) noexcept {
        CHECK(m.kind == linn::misuse_kind::overrun);
        CHECK(m.freed_by.empty() && !m.allocated_by.empty());
        first_frame = m.allocated_by[0];
    });
    parcel* p = pack_parcel();
    char* volatile end = reinterpret_cast<char*>(p + 1);
    *end = 1;
    throw_parcel_away(p);
    CHECK(first_frame != nullptr);
    linn::set_misuse_handler(nullptr);

    parcel* alive = pack_parcel();
    const std::string report = linn::leak_report();
    CHECK(in_order(report, "linn: 1 object of 48 bytes alive: parcel", "allocated by"));
    CHECK(in_order(report, "allocated by", "pack_parcel"));
    throw_parcel_away(alive);
    CHECK(linn::leak_report().empty());
}
