// SPDX-License-Identifier: Apache-2.0
// The program that is measured: started afresh for every contender, scenario and round, possibly under a preloaded
// allocator. It proves what it runs on, runs one scenario once and prints one line of JSON.
#include "../../allocators/probe/worker_main.hpp"
#include "measure.hpp"
#include "variant.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace linn::tool::worker {
namespace {

/// The variant of that scenario and name, or null.
const variant* find_variant(std::string_view scenario, std::string_view name) {
    for (const variants* file = variants::first(); file != nullptr; file = file->next()) {
        for (const variant& v : file->here()) {
            if (v.scenario == scenario && v.name == name) {
                return &v;
            }
        }
    }
    return nullptr;
}

bool take_argument(options& o, std::string_view key, const char* value) {
    const auto number = [&] { return std::strtoull(value, nullptr, 10); };
    if (key == "--scenario") {
        o.scenario = value;
    } else if (key == "--variant") {
        o.variant = value;
    } else if (key == "--work") {
        o.work = number();
    } else if (key == "--container") {
        o.container = value;
    } else if (key == "--n") {
        o.n = number();
    } else if (key == "--objects") {
        o.objects = number();
    } else if (key == "--object-bytes") {
        o.object_bytes = number();
    } else if (key == "--cpu") {
        o.cpu = value;
    } else {
        return false;
    }
    return true;
}

const char* build_description() {
#if defined(__OPTIMIZE__)
    return "optimised";
#else
    return "not optimised";
#endif
}

int run(int argc, char** argv) {
    options o;
    std::string preload;
    const bool is_understood =
        read_arguments(argc, argv, preload,
                       [&](std::string_view key, const char* value) { return take_argument(o, key, value); });
    if (!is_understood) {
        return started_by_hand("bench");
    }
    const variant* const work = find_variant(o.scenario, o.variant);
    if (!o.scenario.empty() && work == nullptr) {
        std::fprintf(stderr, "nothing here does %s %s\n", o.scenario.c_str(), o.variant.c_str());
        return 2;
    }

    const int cpu = pin(o.cpu);
    outcome result;
    double canary_before = 0;
    double canary_after = 0;
    double cpu_share = 1;
    if (!o.scenario.empty()) {
        canary_before = canary();
        const std::uint64_t wall = now_ns();
        const std::uint64_t busy = cpu_ns();
        result = work->run(o);
        const std::uint64_t busy_end = cpu_ns();
        const double own_share = static_cast<double>(busy_end - busy) / static_cast<double>(now_ns() - wall);
        cpu_share = result.waits ? result.cpu_share : std::min(result.cpu_share, own_share);
        canary_after = canary();
    }
    const std::uint64_t peak = result.peak_rss_bytes != 0
                                   ? result.peak_rss_bytes
                                   : peak_rss_bytes(); // before the report below allocates

    nlohmann::json reply = answer_with_proof(preload);
    reply["compiler"] = __VERSION__;
    reply["build"] = build_description();
    reply["cpu"] = cpu;
    reply["canary"] = {canary_before, canary_after};
    reply["cpu_share"] = cpu_share;
    reply["peak_rss_bytes"] = peak;
    reply["work_check"] = result.work_check;
    reply["error"] = result.error;
    reply["phases"] = nlohmann::json::array();
    for (const phase& p : result.phases) {
        nlohmann::json entry{
            {"name", p.name}, {"cycles", p.cycles_per_operation}, {"faults", p.faults_per_operation}};
        for (const auto& [name, value] : p.metrics) {
            entry["metrics"][name] = value;
        }
        reply["phases"].push_back(std::move(entry));
    }
    print_answer(reply);
    return 0;
}

} // namespace
} // namespace linn::tool::worker

int main(int argc, char** argv) {
    return linn::tool::worker::worker_main(linn::tool::worker::run, argc, argv);
}
