// SPDX-License-Identifier: Apache-2.0
// To be told when a pool takes memory, returns it, or refuses a request.
#include <linn/observer.hpp>
#include <linn/pool.hpp>

#include <cstdio>

struct job {
    char text[100];
};
using jobs = linn::pool<job, {.max_objects = 2}>;

// [observe]
void log_event(const linn::pool_event& e) noexcept {
    std::printf("%.*s: %s\n", static_cast<int>(e.type.size()), e.type.data(), linn::to_string(e.kind));
    if (e.kind == linn::pool_event_kind::limit_reached) {
        std::printf("jobs alive: %zu\n", jobs::statistics().live); // an observer may use pools
    }
}
// [/observe]

int main() {
    linn::set_pool_observer(&log_event);
    job* first = jobs::allocate();
    job* second = jobs::allocate();
    if (jobs::try_allocate() == nullptr) {
        std::puts("no third job");
    }
    jobs::deallocate(first);
    jobs::deallocate(second);
    jobs::trim();
    linn::set_pool_observer(nullptr);
}
