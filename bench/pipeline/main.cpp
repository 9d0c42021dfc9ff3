// SPDX-License-Identifier: Apache-2.0
#include "measure/machine.hpp"
#include "packets.hpp"

#include <fmt/format.h>

#include <thread>

namespace linn::bench::packets {
namespace {

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr)
        return {};
    const champion best = all.best(role::general, flat_out);
    const double own = minimum_of(*ours, flat_out);
    if (own <= 0 || best.value <= 0)
        return {};
    const double rate = tool::inspect_machine().ticks_per_ns * 1e3 / own; // million packets a second
    const auto rate_text = [&] { return fmt::format("{:.1f} M packets/s", rate); };
    std::vector<verdict> list{
        {"at least 4 x std::make_shared on the best general allocator",
         fmt::format("{:.2f} x {}", best.value / own, best.label), best.value >= 4 * own},
        {"twice the line rate of 10 Gbit/s, 29.76 M packets/s", rate_text(), rate >= 29.76},
        {"aim: the line rate of 25 Gbit/s, 37.2 M packets/s", rate_text(), rate >= 37.2}};
    if (std::thread::hardware_concurrency() < 2)
        list.push_back({"two cores, one for each thread", "one", false});
    return list;
}

} // namespace
} // namespace linn::bench::packets

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "pipeline",
                         .title =
                             "packets of 1.5 KB in a shared_ptr: taken and written on one core, read and "
                             "released on another",
                         .unit = "nanoseconds a packet",
                         .samples_are_ticks = true,
                         .cells = {packets::flat_out},
                         .contenders = {{"linn", role::ours, packets::run_linn_make_shared},
                                        {"recycler", role::ours, packets::run_linn_recycler},
                                        {"mutex pool", role::peer, packets::run_locked_pool},
                                        {"spin pool", role::peer, packets::run_spin_pool},
                                        {"general", role::general, packets::run_general}},
                         .rounds = 7,
                         .judge = packets::judge});
}
