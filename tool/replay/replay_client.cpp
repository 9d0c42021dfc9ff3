// SPDX-License-Identifier: Apache-2.0
#include "replay_client.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
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

replay_sample execute_program(const std::string& file, const contender& source, const std::string& touch,
                              std::chrono::seconds timeout, const interrupt_guard& guard,
                              const std::function<void()>& tick) {
    replay_sample sample;
    static_cast<worker_answer&>(sample) =
        ask_worker("linn-replay-worker", {"--program", file, "--source", source.worker_id, "--touch", touch},
                   source, timeout, guard, tick, [&](const nlohmann::json& json) {
                       sample.cpu_seconds = json.at("cpu_ns").get<double>() * 1e-9;
                       sample.wait_seconds = json.at("wait_ns").get<double>() * 1e-9;
                       sample.wall_seconds = json.at("wall_ns").get<double>() * 1e-9;
                       sample.peak_rss_bytes = json.at("peak_rss_bytes").get<double>();
                       sample.checksum = json.at("checksum").get<std::uint64_t>();
                       sample.wrong_blocks = json.at("wrong_blocks").get<std::uint64_t>();
                       return std::string{};
                   });
    return sample;
}

} // namespace linn::tool
