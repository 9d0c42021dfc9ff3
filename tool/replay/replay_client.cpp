// SPDX-License-Identifier: Apache-2.0
#include "replay_client.hpp"

#include "../allocators/prober.hpp"
#include "../measure/companion.hpp"
#include "../measure/process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

void read_reply(const std::string& text, const std::filesystem::path& library, const std::string& err,
                replay_sample& sample) {
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        provider_proof proof;
        for (const auto& [function, file] : json.at("proof").items())
            proof.files[function] = file.get<std::string>();
        proof.preload_mapped = json.at("preload_mapped").get<bool>();
        sample.problem = json.at("error").get<std::string>();
        if (sample.problem.empty())
            sample.problem = refute(proof, library);
        if (!sample.problem.empty())
            if (const std::string complaint = loader_complaint(err); !complaint.empty())
                sample.problem += fmt::format(" ({})", complaint);
        sample.cpu_seconds = json.at("cpu_ns").get<double>() * 1e-9;
        sample.wait_seconds = json.at("wait_ns").get<double>() * 1e-9;
        sample.wall_seconds = json.at("wall_ns").get<double>() * 1e-9;
        sample.peak_rss_bytes = json.at("peak_rss_bytes").get<double>();
        sample.checksum = json.at("checksum").get<std::uint64_t>();
        sample.wrong_blocks = json.at("wrong_blocks").get<std::uint64_t>();
    } catch (const nlohmann::json::exception& e) {
        sample.problem = fmt::format("the worker's reply cannot be read: {}", e.what());
    }
}

} // namespace

const char* to_string(replay_touch touch) noexcept {
    switch (touch) {
    case replay_touch::none:
        return "none";
    case replay_touch::byte:
        return "byte";
    case replay_touch::lines:
        return "lines";
    case replay_touch::all:
        return "all";
    }
    return "unknown";
}

replay_sample execute_program(const std::string& file, const replay_source& source, const std::string& touch,
                              std::chrono::seconds timeout, const interrupt_guard& guard,
                              const std::function<void()>& tick) {
    const std::string worker = companion("linn-replay-worker").string();
    std::vector<std::string> arguments{worker,        "--program", file, "--source",
                                       source.source, "--touch",   touch};
    if (!source.library.empty())
        arguments.insert(arguments.end(), {"--preload", source.library.string()});
    const child_result child = run_child(
        arguments, child_environment(source.library.string(), source.environment), timeout, guard, tick);
    replay_sample sample;
    sample.is_interrupted = child.how == child_result::ending::interrupted;
    if (child.how == child_result::ending::exited && child.code == 0) {
        read_reply(child.out, source.library, child.err, sample);
        return sample;
    }
    sample.problem = describe_ending(child, timeout);
    if (child.how == child_result::ending::not_started)
        sample.problem += fmt::format(" {}", worker);
    return sample;
}

} // namespace linn::tool
