// SPDX-License-Identifier: Apache-2.0
#include "scattered.hpp"

#include <fmt/format.h>

namespace linn::bench::scattered {
namespace {

verdict judge_against(const results& all, role rivals, const std::string& whom) {
    const std::string cell = "take again";
    const champion ours = all.best(role::ours, cell);
    const champion rival = all.best(rivals, cell);
    const double ratio = ours.value > 0 ? rival.value / ours.value : 0;
    return {"take again: at least 3 x " + whom, fmt::format("{:.2f} x {}", ratio, rival.label), ratio >= 3};
}

std::vector<verdict> judge(const results& all) {
    return {judge_against(all, role::peer, "an intrusive list"),
            judge_against(all, role::general, "the best allocator")};
}

} // namespace
} // namespace linn::bench::scattered

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "scattered",
                         .title = "200 000 objects of 64 bytes freed in random order, then taken again",
                         .unit = "nanoseconds an object",
                         .samples_are_ticks = true,
                         .cells = {"free in random order", "take again", "take again, write one byte"},
                         .contenders = {{"linn", role::ours, scattered::run_linn},
                                        {"list", role::peer, scattered::run_list},
                                        {"general", role::general, scattered::run_general}},
                         .rounds = 15,
                         .judge = scattered::judge});
}
