// SPDX-License-Identifier: Apache-2.0
// Promise: with LINN_ASAN_POOLS objects lie in slabs under AddressSanitizer too, and what is free there is poisoned: use
// after free is reported, as it is for objects from `new`. What is reported without: misuse_matrix.
//
// Breaks when freed objects stay readable in a cache, or slabs are returned poisoned. Each scenario is a child that must die with
// the report, and the same child without the error must end well, so the report has one cause.
#define LINN_ASAN_POOLS 1
#include "process.hpp"

#include <linn/linn.hpp>

#include <memory_resource>

namespace {

struct item {
    long words[8];
};

bool wrong = false;

void pool_object_later() {
    item* p = linn::pool<item>::create();
    volatile long* word = &p->words[7];
    linn::pool<item>::destroy(p);
    for (int i = 0; i < 100; ++i) {
        linn::pool<item>::destroy(linn::pool<item>::create());
    }
    linn::pool<item>::trim();
    if (wrong) {
        static_cast<void>(*word);
    }
}

/// What was free, and is an object again, may be used.
void pool_object_reused() {
    linn::pool<item>::destroy(linn::pool<item>::create());
    item* p = linn::pool<item>::create();
    volatile long* word = &p->words[3];
    *word = 1;
    linn::pool<item>::destroy(p);
    if (wrong) {
        *word = 2;
    }
}

alignas(64) std::array<unsigned char, 1 << 20> memory;

/// What is allocated here is freed again; the last one is returned.
volatile unsigned char* use_resource(linn::pool_resource& resource) {
    std::array<void*, 100> all{};
    for (void*& p : all) {
        p = resource.allocate(64, 8);
        std::memset(p, 1, 64);
    }
    for (void* p : all) {
        resource.deallocate(p, 64, 8);
    }
    return static_cast<unsigned char*>(all.back());
}

/// What is free in a pool_resource is poisoned, and what goes back to upstream is not: its owner may use it for something else.
void resources() {
    const auto child = linn_test::run_child([] {
        linn::pool_resource resource;
        *use_resource(resource) = 2;
    });
    child.expect(!child.exited_with(0) && child.says("use-after-poison"), "use after free");

    for (const bool by_trim : {false, true}) {
        std::pmr::monotonic_buffer_resource arena{memory.data(), memory.size(),
                                                  std::pmr::null_memory_resource()};
        linn::pool_resource resource{&arena};
        volatile unsigned char* last = use_resource(resource);
        CHECK(last >= memory.data() && last < memory.data() + memory.size());
        if (by_trim) {
            CHECK(resource.trim() != 0);
        } else {
            resource.release();
        }
        *last = 3;
    }
}

void expect_report(const char* what, void (*body)()) {
    wrong = false;
    linn_test::run_child(body).expect_success(what);
    wrong = true;
    const auto child = linn_test::run_child(body);
    child.expect(
        !child.exited_with(0) && (child.says("heap-use-after-free") || child.says("use-after-poison")), what);
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    expect_report("pool, later", &pool_object_later);
    expect_report("pool, used again", &pool_object_reused);
    resources();
}
