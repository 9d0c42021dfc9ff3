// SPDX-License-Identifier: Apache-2.0
// Promise: when the system has no memory left, allocate() throws std::bad_alloc and try_allocate()
// returns null; everything allocated before stays intact, and the pool works again as soon as
// something is freed.
//
// Breaks when an error of the system is ignored or leaves a pool half changed. A child lowers the
// limit of its own address space, so the refusal is the kernel's; that it came is checked.
#include "process.hpp"

#include <linn/linn.hpp>

#include <sys/resource.h>

#include <cstring>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace {

struct item {
    item* next;
    unsigned char bytes[1000];
};

struct later {
    char bytes[77];
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

item* try_one() {
    return linn::pool<item>::try_allocate();
}

item* throw_one() {
#if defined(__cpp_exceptions)
    try {
        return linn::pool<item>::allocate();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
#else
    return linn::pool<item>::try_allocate();
#endif
}

void exhaust(item* (*allocate)()) {
    item* all = nullptr;
    std::size_t first_count = 0;
    for (int round = 0; round < 5; ++round) {
        std::size_t count = 0;
        while (item* object = allocate()) {
            object->next = all;
            all = object;
            std::memset(object->bytes, static_cast<int>(count % 251), sizeof object->bytes);
            ++count;
            CHECK_AT_MOST(count * sizeof(item), 200 * linn_test::mib);
        }
        CHECK(count * sizeof(item) > 10 * linn_test::mib);
        if (round == 0) {
            first_count = count;
        }
        // The second round, with everything freed, must reach as far as the first.
        CHECK(count + 1000 >= first_count);
        for (int again = 0; again < 10; ++again) {
            CHECK(allocate() == nullptr);
        }
        CHECK(linn::pool<item>::statistics().live == count);
        // One free is enough for one more.
        item* head = all;
        all = head->next;
        linn::pool<item>::deallocate(head);
        item* one_more = allocate();
        CHECK(one_more != nullptr);
        one_more->next = all;
        std::memset(one_more->bytes, static_cast<int>((count - 1) % 251), sizeof one_more->bytes);
        all = one_more;
        // A pool that was never used must fail cleanly, or work, too.
        if (later* other = linn::pool<later>::try_allocate()) {
            linn::pool<later>::deallocate(other);
        }
        for (std::size_t i = count; all != nullptr;) {
            --i;
            for (const unsigned char byte : all->bytes) {
                CHECK(byte == i % 251);
            }
            item* next = all->next;
            linn::pool<item>::deallocate(all);
            all = next;
        }
        CHECK(linn::pool<item>::statistics().live == 0);
        if (round % 2 == 1) {
            linn::pool<item>::trim();
        }
    }
    linn_test::say("exhausted\n");
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
    for (const bool throwing : {false, true}) {
        for (const bool used_before : {false, true}) {
            const auto child = linn_test::run_child([=] {
                if (used_before) {
                    linn::pool<item>::deallocate(linn::pool<item>::allocate());
                }
                limit_address_space(32 * linn_test::mib);
                exhaust(throwing ? &throw_one : &try_one);
            });
            child.expect(child.exited_with(0) && child.says("exhausted"), throwing ? "throwing" : "try_");
        }
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
