// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include "allocators/probe/provider.hpp"
#include "measure/process.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace linn::bench {
namespace {

constexpr std::chrono::seconds child_timeout{600};

/// True when the file is mapped into this process.
bool is_mapped(const std::string& file) {
    std::ifstream maps{"/proc/self/maps"};
    std::string line;
    while (std::getline(maps, line)) {
        const std::size_t slash = line.find('/');
        if (slash != std::string::npos && line.substr(slash) == file) {
            return true;
        }
    }
    return false;
}

struct reply {
    std::map<std::string, std::vector<double>> samples;
    std::vector<std::string> notes;
    tool::provider_proof proof;
};

reply parse(const std::string& text) {
    reply r;
    std::istringstream lines{text};
    std::string line;
    while (std::getline(lines, line)) {
        std::vector<std::string> words;
        std::istringstream in{line};
        for (std::string word; std::getline(in, word, '\t');) {
            words.push_back(word);
        }
        if (words.size() == 3 && words[0] == "sample") {
            r.samples[words[1]].push_back(std::strtod(words[2].c_str(), nullptr));
        } else if (words.size() == 2 && words[0] == "note") {
            r.notes.push_back(words[1]);
        } else if (words.size() == 3 && words[0] == "provider") {
            r.proof.files[words[1]] = words[2];
        } else if (words.size() == 2 && words[0] == "mapped") {
            r.proof.preload_mapped = words[1] == "1";
        }
    }
    return r;
}

} // namespace

int be_contender(const child_request& request, const workload& w) {
    // Should the parent die without a chance to clean up, this process must not measure on alone.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    static char buffer[1 << 16];
    std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (const contender& c : w.contenders) {
        if (c.name != request.contender) {
            continue;
        }
        sampler s{request.quick};
        c.run(s);
        for (const tool::provider& p : tool::memory_providers()) {
            std::printf("provider\t%s\t%s\n", p.function.c_str(), p.file.c_str());
        }
        std::printf("mapped\t%d\n", !request.library.empty() && is_mapped(request.library.string()));
        return 0;
    }
    std::fprintf(stderr, "no contender named %s\n", request.contender.c_str());
    return 2;
}

bool run_contender(const child_request& request, const tool::interrupt_guard& guard, row& r) {
    std::vector<std::string> arguments{std::filesystem::read_symlink("/proc/self/exe").string(), "--child",
                                       request.contender};
    if (!request.library.empty()) {
        arguments.insert(arguments.end(), {"--preload", request.library.string()});
    }
    if (request.quick) {
        arguments.emplace_back("--quick");
    }
    const tool::child_result child = tool::run_child(
        arguments, tool::child_environment(request.library.string()), child_timeout, guard, [] {});
    if (child.how == tool::child_result::ending::interrupted) {
        return false;
    }
    if (child.how != tool::child_result::ending::exited || child.code != 0) {
        r.problem = tool::describe_ending(child, child_timeout);
        return true;
    }
    reply answer = parse(child.out);
    if (r.problem = tool::refute(answer.proof, request.library); !r.problem.empty()) {
        return true;
    }
    for (const auto& [cell, values] : answer.samples) {
        r.samples[cell].insert(r.samples[cell].end(), values.begin(), values.end());
    }
    r.notes = std::move(answer.notes);
    return true;
}

} // namespace linn::bench
