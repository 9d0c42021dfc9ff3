// SPDX-License-Identifier: Apache-2.0
// Promise: with LINN_INITIAL_EXEC everything works as without: threads that come and go, objects freed elsewhere, views.
//
// Breaks when the attribute does not apply to the variable, or the near form of the hot path forgets what a slow path did.
#define LINN_INITIAL_EXEC
#include "process.hpp"

#include <linn/pool.hpp>

namespace {

struct item {
    long words[5];
};
using items = linn::pool<item>;

std::vector<item*> make(int count) {
    const auto here = items::on_this_thread();
    std::vector<item*> all;
    for (int i = 0; i != count; ++i) {
        all.push_back(i % 2 == 0 ? here.create() : items::create());
        all.back()->words[0] = i;
    }
    return all;
}

} // namespace

int main() {
    static_assert(linn::detail::near_thread_locals || !linn::detail::thread_locals_last);
    for (int turn = 0; turn != 20; ++turn) {
        std::vector<item*> all;
        std::thread{[&all] { all = make(1000); }}.join();
        CHECK(items::statistics().live == 1000);
        for (std::size_t i = 0; i != all.size(); ++i) {
            CHECK(all[i]->words[0] == static_cast<long>(i));
            items::destroy(all[i]);
        }
        CHECK(items::statistics().live == 0);
    }
}
