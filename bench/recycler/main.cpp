// SPDX-License-Identifier: Apache-2.0
#include "recycler.hpp"

#include <fmt/format.h>

namespace linn::bench::recycling {
namespace {

/// Against std::make_shared on the C library's own allocator, and on the best one found.
std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    std::vector<verdict> verdicts;
    for (const char* cell : cells) {
        const double mine = minimum_of(*ours, cell);
        double plain = 0;
        for (const row* r : all.all(role::general)) {
            if (r->label == "glibc") {
                plain = minimum_of(*r, cell);
            }
        }
        const champion best = all.best(role::general, cell);
        const double ratio = mine > 0 ? plain / mine : 0;
        verdicts.push_back(
            {fmt::format("{}: at least 15 x std::make_shared", cell),
             fmt::format("{:.1f} x with the C library's allocator; {:.1f} x with the best one ({})", ratio,
                         mine > 0 ? best.value / mine : 0, best.label),
             ratio >= 15});
    }
    return verdicts;
}

} // namespace
} // namespace linn::bench::recycling

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(
        argc, argv,
        {.name = "recycler",
         .title = "make a shared object that owns a filled vector and a filled string, and give it up",
         .unit = "nanoseconds an object",
         .samples_are_ticks = true,
         .cells = {std::begin(recycling::cells), std::end(recycling::cells)},
         .contenders = {{"linn", role::ours, recycling::run_recycler},
                        {"linn, filled anew", role::ours, recycling::run_recycler_filling},
                        {"linn, handle", role::ours, recycling::run_recycler_handle},
                        {"linn::allocator", role::peer, recycling::run_allocate_shared},
                        {"control block", role::floor, recycling::run_floor},
                        {"general", role::general, recycling::run_general}},
         .rounds = 15,
         .judge = recycling::judge});
}
