// SPDX-License-Identifier: Apache-2.0
// Without exceptions and RTTI: what cannot be made is a null handle from try_create, and the end of the program from
// create.
#include "process.hpp"

#include <linn/handle_pool.hpp>

#include <csignal>

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
}
