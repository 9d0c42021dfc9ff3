// SPDX-License-Identifier: Apache-2.0
// Promise: any function of the library may be the first that a process calls: in main, in a thread, and in a static
// initialiser before main, which may start threads; and everything works afterwards.
//
// Breaks when one function counts on what another has set up. Each is a process of its own for each place; the pools
// have never been used when it begins, which is checked.
#include "every_function.hpp"

namespace {

using linn_test::every_function::entries;
using linn_test::every_function::entry;

constexpr std::size_t count = std::size(entries);

/// Everything once more, in order: whatever came first has broken nothing.
void check_all_work() {
    for (const entry& e : entries) {
        e.call();
    }
    CHECK(linn::leak_report().empty());
}

/// A static initialiser that makes the call which the environment names, and a thread that it starts.
struct initialiser {
    initialiser() {
        if (const char* first = std::getenv("LINN_TEST_FIRST")) {
            entries[std::atoi(first)].call();
            std::thread{entries[std::atoi(first)].call}.join();
            called = true;
        }
    }
    bool called = false;
} before_main;

} // namespace

int main(int, char** argv) {
    if (before_main.called) {
        check_all_work();
        return 0;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto in_main = linn_test::run_child([i] {
            entries[i].call();
            check_all_work();
        });
        in_main.expect_success(entries[i].name);
        const auto in_thread = linn_test::run_child([i] {
            std::thread{entries[i].call}.join();
            check_all_work();
        });
        in_thread.expect_success(entries[i].name);
        const auto before = linn_test::run_child([i, argv] {
            ::setenv("LINN_TEST_FIRST", std::to_string(i).c_str(), 1);
            ::execl(argv[0], argv[0], static_cast<char*>(nullptr));
            ::_exit(1);
        });
        before.expect_success(entries[i].name);
    }
    CHECK(linn::statistics().empty()); // this process never used any
}
