// SPDX-License-Identifier: Apache-2.0
// Promise: under AddressSanitizer a pool_resource hides no errors: use after free, overrun and underrun of
// its blocks are reported, use after release() too, and blocks that are released are not leaks, nor is
// what they point to one while they live.
//
// Breaks when freed blocks stay readable in a cache. Each scenario is a child that must die with the
// report, and the same child without the error must end well, so the report has one cause.
#include "process.hpp"

#include <linn/memory_resource.hpp>

#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>

namespace {

bool wrong = false;
linn::pool_resource resource;

void after_free_of(std::size_t bytes) {
    auto* p = static_cast<volatile char*>(resource.allocate(bytes));
    p[1] = 1;
    resource.deallocate(const_cast<char*>(p), bytes);
    for (int i = 0; i < 50; ++i) {
        resource.deallocate(resource.allocate(bytes), bytes);
    }
    if (wrong) {
        p[1] = 2;
    }
}

void after_free_by_another_thread() {
    auto* p = static_cast<volatile char*>(resource.allocate(100));
    std::thread{[p] { resource.deallocate(const_cast<char*>(p), 100); }}.join();
    if (wrong) {
        p[0] = 2;
    }
}

void overrun() {
    auto* p = static_cast<volatile char*>(resource.allocate(41, 1)); // in a slot of 48
    p[wrong ? 41 : 40] = 1;
    resource.deallocate(const_cast<char*>(p), 41, 1);
}

void underrun() {
    auto* p = static_cast<volatile char*>(resource.allocate(100));
    *(p - (wrong ? 1 : 0)) = 1;
    resource.deallocate(const_cast<char*>(p), 100);
}

void after_release() {
    linn::pool_resource mine;
    auto* p = static_cast<volatile char*>(mine.allocate(100));
    p[5] = 1;
    mine.release();
    if (wrong) {
        p[5] = 2;
    }
}

void node() {
    std::pmr::list<int> list{{1, 2, 3}, &resource};
    const volatile int* value = &list.front();
    CHECK(*value == 1);
    list.pop_front();
    if (wrong) {
        static_cast<void>(*value);
    }
}

void expect_report(const char* what, void (*body)()) {
    wrong = false;
    linn_test::run_child(body).expect_success(what);
    wrong = true;
    const auto child = linn_test::run_child(body);
    child.expect(!child.exited_with(0) && child.says("AddressSanitizer: "), what);
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    expect_report("after free", [] { after_free_of(100); });
    expect_report("after free, large", [] { after_free_of(200'000); });
    expect_report("after free, by another thread", &after_free_by_another_thread);
    expect_report("overrun", &overrun);
    expect_report("underrun", &underrun);
    expect_report("after release", &after_release);
    expect_report("node", &node);

    linn_test::run_child([] {
        // Nothing of this is a leak: the destructor, or the resource that is never destroyed, has it.
        linn::pool_resource mine;
        static_cast<void>(mine.allocate(100));
        static_cast<void>(mine.allocate(200'000));
        auto* kept =
            ::new (linn::default_pool_resource()->allocate(sizeof(std::string), alignof(std::string)))
                std::string(100, 'x');
        kept->append("y");
        std::pmr::map<int, std::string> owns_heap{linn::default_pool_resource()};
        owns_heap[1] = std::string(100, 'z');
    }).expect_success("no leak");
}
