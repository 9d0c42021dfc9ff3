// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "provider.hpp"

#include <nlohmann/json.hpp>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace linn::tool::worker {

/// Gives `take` each pair of --name and value but --preload; false where it takes one not, or the last has no value.
template <typename Take>
bool read_arguments(int argc, char** argv, std::string& preload, const Take& take) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view key = argv[i];
        const char* const value = argv[i + 1];
        if (key == "--preload") {
            preload = value;
        } else if (!take(key, value)) {
            return false;
        }
    }
    return argc % 2 == 1;
}

/// Says to who started it by hand what to use instead; returns the exit status.
inline int started_by_hand(const char* command) {
    std::fprintf(stderr, "linn-%s-worker is started by 'linn %s'; run 'linn %s --help'\n", command, command,
                 command);
    return 2;
}

/// What a worker's answer begins with: the proof of who provides its memory, and whether `preload`, if any, is mapped.
inline nlohmann::json answer_with_proof(const std::string& preload) {
    nlohmann::json reply;
    for (const provider& p : memory_providers()) {
        reply["proof"][p.function] = p.file;
    }
    reply["preload_mapped"] = !preload.empty() && is_mapped(preload);
    return reply;
}

/// Prints the answer as one line of JSON.
inline void print_answer(const nlohmann::json& reply) {
    std::puts(reply.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

/// The main function of a worker: runs it, and ends with 1 and the reason where it throws.
inline int worker_main(int (*run)(int, char**), int argc, char** argv) {
    // Should the parent die without a chance to clean up, this process must not go on alone.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

} // namespace linn::tool::worker
