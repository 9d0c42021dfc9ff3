// SPDX-License-Identifier: Apache-2.0
// Without exceptions and RTTI: what cannot be made is a null handle from try_create, and the end of the program from
// create.
#include "process.hpp"

#include <linn/fixed_pool.hpp>
#include <linn/handle_pool.hpp>
#include <linn/local_allocator.hpp>
#include <linn/owning_ptr.hpp>

#include <csignal>
#include <list>

namespace {

struct sample {
    explicit sample(int n) : number{n} {} // may throw, as far as the compiler knows
    int number;
};

} // namespace

int main() {
    linn::handle_pool<sample, {.index_bits = 2, .generation_bits = 3}> samples;
    linn::pool_handle<sample, samples.options> all[4];
    for (auto& h : all) {
        h = samples.create(7);
    }
    CHECK(!samples.try_create(8));
    CHECK(samples.get(all[3])->number == 7);
    CHECK(samples.destroy(all[3]) && !samples.destroy(all[3]) && samples.get(all[3]) == nullptr);
    int sum = 0;
    for (const sample& s : samples) {
        sum += s.number;
    }
    CHECK(sum == 21);
    all[3] = samples.create(1);

    const auto child = linn_test::run_child([&] { static_cast<void>(samples.create(1)); });
    child.expect(child.killed_by(SIGABRT), "a full pool");
    samples.clear();
    CHECK(samples.empty());

    using slots = linn::fixed_pool<linn::node_slot<std::list<int>>, 2>;
    slots memory;
    {
        std::list<int, linn::local_allocator<int, slots, void>> list{memory};
        list.push_back(1);
        list.push_back(2);
        CHECK(memory.full());
        const auto full = linn_test::run_child([&] { list.push_back(3); });
        full.expect(full.killed_by(SIGABRT), "a list without memory");
    }
    linn::fixed_pool<sample, 1> one;
    {
        linn::base_ptr<const sample> p = linn::try_make_unique_in(one, 5);
        CHECK(p->number == 5 && linn::try_make_unique_in(one, 6) == nullptr);
    }
    CHECK(one.empty() && memory.empty());
}
