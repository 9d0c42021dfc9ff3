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
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

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

/// Reads pairs of --name and value; false where a name is unknown, or the last has no value.
bool read_arguments(int argc, char** argv, options& o, std::string& preload) {
    const std::pair<std::string_view, std::string*> texts[]{{"--preload", &preload},
                                                            {"--scenario", &o.scenario},
                                                            {"--variant", &o.variant},
                                                            {"--container", &o.container},
                                                            {"--cpu", &o.cpu}};
    for (int i = 1; i + 1 < argc; i += 2) {
        const auto is_it = [&](const auto& known) { return known.first == argv[i]; };
        const auto text = std::ranges::find_if(texts, is_it);
        if (text != std::end(texts)) {
            *text->second = argv[i + 1];
        } else if (argv[i] == std::string_view{"--work"}) {
            o.work = std::strtoull(argv[i + 1], nullptr, 10);
        } else {
            return false;
        }
    }
    return argc % 2 == 1;
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
    if (!read_arguments(argc, argv, o, preload)) {
        std::fputs("linn-bench-worker is started by 'linn bench'; run 'linn bench --help'\n", stderr);
        return 2;
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

    nlohmann::json reply;
    for (const provider& p : memory_providers()) {
        reply["proof"][p.function] = p.file;
    }
    reply["preload_mapped"] = !preload.empty() && is_mapped(preload);
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
