// SPDX-License-Identifier: Apache-2.0
// A program without exceptions, RTTI and heap is what fixed_pool is for: it must work there, and it must
// not ask operator new for anything. Where nobody can catch, create() on a full pool ends the program.
#include "process.hpp"

#include <linn/fixed_pool.hpp>

namespace {

std::size_t news = 0;

struct sample {
    explicit sample(int n) : number{n} {} // may throw, as far as the compiler knows
    int number;
};

constinit linn::fixed_pool<sample, 4> samples;
constinit linn::fixed_pool<sample, 0> nothing;

} // namespace

void* operator new(std::size_t bytes) {
    ++news;
    if (void* p = std::malloc(bytes != 0 ? bytes : 1)) {
        return p;
    }
    std::abort();
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

int main() {
    sample* all[4];
    CHECK(samples.try_allocate_n(all));
    CHECK(samples.full() && samples.try_create(1) == nullptr && samples.try_allocate() == nullptr);
    CHECK(!samples.try_allocate_n({all, 1}));
    samples.deallocate_n(all);
    sample* one = samples.create(5);
    CHECK(one->number == 5 && samples.live() == 1);
    samples.for_each_live([](sample& s) { s.number = 6; });
    CHECK(one->number == 6);
    samples.destroy(one);
    samples.allocate_n(all);
    samples.release();
    CHECK(samples.empty() && samples.statistics().peak == 4);
    CHECK(nothing.try_create(1) == nullptr);
    CHECK(news == 0);

    const auto child = linn_test::run_child([] { static_cast<void>(nothing.create(1)); });
    child.expect(child.killed_by(SIGABRT), "a full pool");
}
