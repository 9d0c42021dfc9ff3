// SPDX-License-Identifier: Apache-2.0
// Promise: a bulk call that the system has no memory for allocates nothing, and fewer objects can be allocated afterwards;
// a pool works where there is not even a first page for it.
//
// Breaks when a bulk call keeps what it had before the refusal. A child lowers the limit of its own address space, so the
// refusal is the kernel's. See error_limits for single objects.
#include "process.hpp"

#include <linn/linn.hpp>

#include <sys/resource.h>

#include <new>
#include <span>
#include <vector>

namespace {

struct item {
    unsigned char bytes[1008];
};

/// Leaves `bytes` more than is mapped now.
void limit_address_space(std::size_t bytes) {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    CHECK(file != nullptr);
    std::size_t pages = 0;
    CHECK(std::fscanf(file, "%zu", &pages) == 1);
    std::fclose(file);
    const rlimit limit{pages * 4096 + bytes, pages * 4096 + bytes};
    CHECK(::setrlimit(RLIMIT_AS, &limit) == 0);
}

#if defined(__cpp_exceptions)
/// More at once than there is: none is taken, and less still works.
template <class Allocate, class Free, class Live>
void exhaust_at_once(std::span<item*> out, Allocate&& allocate, Free&& free, Live&& live) {
    for (int round = 0; round < 3; ++round) {
        bool thrown = false;
        try {
            allocate(out);
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        CHECK(thrown);
        CHECK(live() == 0);
        allocate(out.first(5000));
        CHECK(live() == 5000);
        free(out.first(5000));
        CHECK(live() == 0);
    }
}

void exhaust_by_many(bool local) {
    std::vector<item*> out(200 * linn_test::mib / sizeof(item));
    linn::local_pool<item> own;
    using pool = linn::pool<item>;
    limit_address_space(32 * linn_test::mib);
    if (local) {
        exhaust_at_once(
            out, [&](auto all) { own.allocate_n(all); }, [&](auto all) { own.deallocate_n(all); },
            [&] { return own.live(); });
    } else {
        exhaust_at_once(
            out, [](auto all) { pool::allocate_n(all); }, [](auto all) { pool::deallocate_n(all); },
            [] { return pool::statistics().live; });
    }
    linn_test::say("exhausted\n");
}
#endif

} // namespace

int main() {
    if (linn_test::asan || linn_test::tsan || linn_test::on_memcheck()) {
        return linn_test::skip("the tool's own shadow memory needs the address space");
    }
#if defined(__cpp_exceptions)
    for (const bool local : {false, true}) {
        const auto many = linn_test::run_child([=] { exhaust_by_many(local); });
        many.expect(many.exited_with(0) && many.says("exhausted"), "many at once");
    }
#endif
    const auto nothing = linn_test::run_child([] {
        limit_address_space(0);
        for (int i = 0; i < 3; ++i) {
            CHECK(linn::pool<item>::try_allocate() == nullptr);
            CHECK(linn::pool<item>::trim() == 0);
            CHECK(linn::pool<item>::statistics().live == 0);
        }
        linn_test::say("exhausted\n");
    });
    nothing.expect(nothing.exited_with(0) && nothing.says("exhausted"), "not even a first page");
}
