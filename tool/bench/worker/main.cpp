// SPDX-License-Identifier: Apache-2.0
// The program that is measured: started afresh for every contender, scenario and round, possibly under a preloaded
// allocator. It proves what it runs on, runs one scenario once and prints one line of JSON.
#include "../../allocators/probe/provider.hpp"
#include "measure.hpp"

#include <nlohmann/json.hpp>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

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

const char* build_description() {
#if defined(__OPTIMIZE__)
    return "optimised";
#else
    return "not optimised";
#endif
}

int run(int argc, char** argv) {
    if (argc != 7) {
        std::fputs("linn-bench-worker is started by 'linn bench'; run 'linn bench --help'\n", stderr);
        return 2;
    }
    const std::string preload = argv[1];
    const variant* const work = find_variant(argv[2], argv[3]);
    const options o{std::strtoull(argv[5], nullptr, 10), argv[6]};
    if (work == nullptr) {
        std::fprintf(stderr, "nothing here does %s %s\n", argv[2], argv[3]);
        return 2;
    }

    pin(argv[4]);
    const double canary_before = canary();
    const std::uint64_t wall = now_ns();
    const std::uint64_t busy = cpu_ns();
    const outcome result = work->run(o);
    const std::uint64_t busy_end = cpu_ns();
    const double own_share = static_cast<double>(busy_end - busy) / static_cast<double>(now_ns() - wall);
    const double cpu_share = result.waits ? result.cpu_share : std::min(result.cpu_share, own_share);
    const double slower_canary = std::max(canary_before, canary());
    const std::uint64_t peak = result.peak_rss_bytes != 0
                                   ? result.peak_rss_bytes
                                   : peak_rss_bytes(); // before the report below allocates

    nlohmann::json reply;
    for (const provider& p : memory_providers()) {
        reply["proof"][p.function] = p.file;
    }
    reply["preload_mapped"] = !preload.empty() && is_mapped(preload);
    reply["compiler"] = __VERSION__;
    reply["build"] = build_description();
    reply["canary"] = slower_canary;
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
    std::puts(reply.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return 0;
}

} // namespace
} // namespace linn::tool::worker

int main(int argc, char** argv) {
    // Should the parent die without a chance to clean up, this process must not go on alone.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        return linn::tool::worker::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
