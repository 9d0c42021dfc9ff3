// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::bench::buffers {
namespace {

constexpr double most_of_make_shared = 0.001;
constexpr double least_gain_with_fill = 1.9;

std::vector<verdict> judge(const results& all) {
    const champion take = all.best(role::general, take_cell);
    const champion our_take = all.best(role::ours, take_cell);
    const double part = take.value > 0 ? our_take.value / take.value : 1;
    const champion filled = all.best(role::general, fill_cell);
    const champion our_fill = all.best(role::ours, fill_cell);
    const double gain = our_fill.value > 0 ? filled.value / our_fill.value : 0;
    double faults = 0;
    for (const row* r : all.all(role::ours)) {
        const auto found = r->samples.find(faults_cell);
        if (found != r->samples.end()) {
            faults = std::max(faults, *std::max_element(found->second.begin(), found->second.end()));
        }
    }
    return {{"take and give back: at most 0.1 % of make_shared<line>()",
             fmt::format("{:.4f} % of make_shared on {}", part * 100, take.label),
             part <= most_of_make_shared},
            {"with a fill of 8 MiB: at least 1.9 x make_shared<line>()",
             fmt::format("{:.2f} x make_shared on {}", gain, filled.label), gain >= least_gain_with_fill},
            {"no page fault on reuse", fmt::format("{:.4f} a line at worst", faults), faults <= 0}};
}

} // namespace
} // namespace linn::bench::buffers

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(
        argc, argv,
        {.name = "buffers",
         .title = "a cache line of 8 MiB, taken and given back; the general allocators by make_shared, "
                  "which zeroes it",
         .unit = "nanoseconds a line",
         .samples_are_ticks = true,
         .cells = {buffers::take_cell, buffers::fill_cell, buffers::burst_cell},
         .contenders = {{"linn", role::ours, buffers::run_linn},
                        {"linn object", role::ours, buffers::run_linn_object},
                        {"floor", role::floor, buffers::run_floor},
                        {"new, not zeroed", role::peer, buffers::run_overwrite},
                        {"general", role::general, buffers::run_general}},
         .rounds = 10,
         .judge = buffers::judge});
}
