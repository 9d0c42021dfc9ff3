// SPDX-License-Identifier: Apache-2.0
#include "buffer_threads.hpp"

#include <fmt/format.h>

namespace linn::bench::buffer_threads {
namespace {

std::vector<std::string> cells() {
    std::vector<std::string> all;
    for (const int threads : {1, 2}) {
        for (const std::size_t at_once : held) {
            for (const std::size_t bytes : sizes) {
                all.push_back(cell(bytes, at_once, threads));
            }
        }
    }
    return all;
}

std::vector<verdict> judge(const results& all) {
    std::vector<verdict> verdicts;
    for (const int threads : {1, 2}) {
        double worst = 0;
        std::string where;
        for (const std::size_t at_once : held) {
            for (const std::size_t bytes : sizes) {
                const std::string name = cell(bytes, at_once, threads);
                const champion ours = all.best(role::ours, name);
                const champion rival = all.best(role::general, name);
                const double ratio = ours.value > 0 ? rival.value / ours.value : 0;
                if (ratio > 0 && (worst <= 0 || ratio < worst)) {
                    worst = ratio;
                    where = fmt::format("{}: {}", name, rival.label);
                }
            }
        }
        verdicts.push_back({fmt::format("{}: never behind new and delete on the best allocator",
                                        threads == 1 ? "one thread" : "two threads"),
                            fmt::format("worst {:.2f} x, {}", worst, where), worst >= 1});
    }
    return verdicts;
}

} // namespace
} // namespace linn::bench::buffer_threads

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(
        argc, argv,
        {.name = "buffer-threads",
         .title = "a buffer of 64 KiB to 8 MiB acquired and released, one or four at a time; by size "
                  "and number of threads",
         .unit = "nanoseconds a buffer",
         .samples_are_ticks = true,
         .cells = buffer_threads::cells(),
         .contenders = {{"linn", role::ours, buffer_threads::run_linn},
                        {"general", role::general, buffer_threads::run_general}},
         .rounds = 5,
         .judge = buffer_threads::judge});
}
