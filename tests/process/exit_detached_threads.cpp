// SPDX-License-Identifier: Apache-2.0
// Promise: detached threads may go on allocating and freeing while the process exits.
//
// Breaks when exit() destroys something that pools use: the threads would crash or hang in the short
// time between static destruction and the end of the process. A static object that is destroyed last
// waits until each thread has done much more work after exit() began, which makes that time long,
// and says so; a run without such work does not count.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[8];
};
struct late_item { // first used after exit() began
    long words[7];
};

constexpr int threads = 3;
std::array<std::atomic<std::size_t>, threads> rounds{};
std::atomic<bool> exiting{false};

struct last_of_all {
    ~last_of_all() {
        if (!exiting) {
            return; // the parent
        }
        for (auto& r : rounds) {
            const std::size_t then = r.load();
            linn_test::wait_until([&] { return r.load() >= then + 50; });
        }
        linn_test::say("worked during exit\n");
    }
} last;

std::atomic<std::atomic<item*>*> mailbox{nullptr};

void never_ends(std::size_t me) {
    for (;;) {
        item* objects[100];
        for (item*& object : objects) {
            object = linn::pool<item>::create();
        }
        for (item*& object : objects) {
            // Through a box, so that most are freed by another thread.
            linn::pool<item>::destroy(mailbox.load()->exchange(object));
        }
        if (exiting) {
            linn::pool<late_item>::destroy(linn::pool<late_item>::create());
            // A thread that has ended but is not joined yet at exit is a leak to ThreadSanitizer.
            if constexpr (!linn_test::tsan) {
                std::thread{[] { linn::pool<item>::destroy(linn::pool<item>::create()); }}.join();
            }
        }
        rounds[me].fetch_add(1);
    }
}

} // namespace

int main() {
    const std::size_t repeats =
        linn_test::on_memcheck() ? 1 : (linn_test::tsan ? 5 : 50 / linn_test::slowdown);
    for (std::size_t i = 0; i < repeats; ++i) {
        const auto child = linn_test::run_child([] {
            static std::atomic<item*> box{nullptr};
            mailbox = &box;
            for (std::size_t t = 0; t < threads; ++t) {
                std::thread{&never_ends, t}.detach();
            }
            for (auto& r : rounds) {
                linn_test::wait_until([&] { return r.load() >= 10; });
            }
            exiting = true;
        });
        child.expect(child.exited_with(0) && child.says("worked during exit"), "exit with detached threads");
    }
}
