// SPDX-License-Identifier: Apache-2.0
#include "make_shared.hpp"

#include <fmt/format.h>

namespace linn::bench::make_shared {
namespace {

constexpr const char* cells[] = {hot_alone, burst_alone, hot_idle, burst_idle, hot_two, burst_two};

struct worst {
    double ratio = 0;
    std::string where;
};

/// The worst cell of a ratio, which is at most something where `most` is set, else at least.
template <class Ratio>
worst worst_of(bool most, Ratio ratio) {
    worst w;
    for (const char* cell : cells) {
        const auto [value, whom] = ratio(cell);
        if (value > 0 && (w.ratio <= 0 || (most ? value > w.ratio : value < w.ratio))) {
            w = {value, fmt::format("{} ({})", cell, whom)};
        }
    }
    return w;
}

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    const worst above_floor = worst_of(true, [&](const char* cell) {
        const champion floor = all.best(role::floor, cell);
        return std::pair{floor.value > 0 ? minimum_of(*ours, cell) / floor.value : 0, floor.label};
    });
    const worst ahead = worst_of(false, [&](const char* cell) {
        const champion rival = all.best_rival(cell);
        const double mine = minimum_of(*ours, cell);
        return std::pair{mine > 0 ? rival.value / mine : 0, rival.label};
    });
    const auto rate = [&](const char* one, const char* two) {
        const double cost = minimum_of(*ours, two);
        return cost > 0 ? minimum_of(*ours, one) / cost : 0;
    };
    const double least = std::min(rate(hot_idle, hot_two), rate(burst_idle, burst_two));
    return {{"at most 3 x a raw pool pair, every case",
             fmt::format("worst {:.2f} x, {}", above_floor.ratio, above_floor.where),
             above_floor.ratio > 0 && above_floor.ratio <= 3},
            {"at least 4 x std::make_shared on the best allocator, every case",
             fmt::format("worst {:.2f} x, {}", ahead.ratio, ahead.where), ahead.ratio >= 4},
            {"no loss at 2 threads: a thread's rate at least 0.95 of its rate beside an idle one",
             fmt::format("{:.2f}", least), least >= 0.95}};
}

} // namespace
} // namespace linn::bench::make_shared

int main(int argc, char** argv) {
    using namespace linn::bench;
    namespace w = linn::bench::make_shared;
    return run_workload(argc, argv,
                        {.name = "make-shared",
                         .title = "a shared_ptr to a packet of 1.5 KB: made, touched, dropped; one at a time "
                                  "and in bursts of 256",
                         .unit = "nanoseconds a pointer",
                         .samples_are_ticks = true,
                         .cells = {std::begin(w::cells), std::end(w::cells)},
                         .contenders = {{"linn", role::ours, w::run_linn},
                                        {"pool pair", role::floor, w::run_pool_pair},
                                        {"glibc, no trim", role::peer, w::run_no_trim},
                                        {"glibc, filled", role::peer, w::run_filled},
                                        {"general", role::general, w::run_general}},
                         .rounds = 9,
                         .judge = w::judge});
}
