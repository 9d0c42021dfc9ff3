// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/run.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool::testing {

inline constexpr const char* made_libc = "/lib/libc.so.6";

inline std::string made_path(const std::string& name) {
    return "/lib/" + name + ".so";
}

/// A run that ended well after so many seconds, with its memory from that library; none: from the C library.
inline observation made_run(const std::filesystem::path& library, double seconds) {
    observation o;
    o.how = observation::ending::exited;
    o.values = {{"wall_ns", seconds * 1e9}, {"user_ns", seconds * 1e9}, {"sys_ns", 0},
                {"peak_rss_bytes", 1e6},    {"minor_faults", 1000},     {"voluntary_switches", 1000}};
    process_proof p;
    p.is_main = true;
    p.executable = "/bin/program";
    const std::string provider = library.empty() ? made_libc : library.string();
    p.files = {{"malloc", provider}, {"free", provider}};
    p.preload_mapped = !library.empty();
    o.proofs.push_back(p);
    return o;
}

/// A quiet machine with these allocators. `launch` says what a run is; `clock` is in seconds.
inline run_world made_world(const std::vector<std::string>& allocators, const double& clock,
                            const std::function<observation(const launch_spec&)>& launch) {
    run_world world;
    world.find_target = [](const launch_spec& options) {
        target t;
        t.command = {"program"};
        t.own_provider = made_libc;
        t.spec = options;
        t.first = made_run({}, 1);
        return t;
    };
    world.take_inventory = [allocators] {
        std::vector<allocator_entry> list;
        for (const std::string& name : allocators) {
            allocator_entry& e = list.emplace_back();
            e.name = e.title = name;
            e.library = made_path(name);
            e.state = library_state::usable;
        }
        return list;
    };
    world.launch = launch;
    world.prepare = [](const std::string&) { return std::string{}; };
    world.inspect = [] { return machine_info{}; };
    world.canary = [] { return 1.0; };
    world.touch_memory = [](std::size_t) {};
    world.now = [&clock] { return std::chrono::duration<double>{clock}; };
    world.interrupted = [] { return 0; };
    return world;
}

/// The options of a run that compares them all.
inline run_options options_for(const std::vector<std::string>& allocators) {
    run_options o;
    o.only = allocators;
    for (const std::string& name : allocators) {
        o.allocators.emplace_back(name, made_path(name));
    }
    return o;
}

} // namespace linn::tool::testing
