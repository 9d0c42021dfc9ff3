// SPDX-License-Identifier: Apache-2.0
#include "worker_client.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace linn::tool {
namespace {

std::string read_sample(const nlohmann::json& json, std::span<const phase_info> phases, worker_reply& reply) {
    reply.compiler = json.at("compiler").get<std::string>();
    reply.build = json.at("build").get<std::string>();
    sample& s = reply.measured;
    for (const nlohmann::json& canary : json.at("canary")) {
        s.canary = std::max(s.canary, canary.get<double>());
    }
    s.cpu_share = json.at("cpu_share").get<double>();
    s.peak_rss_bytes = json.at("peak_rss_bytes").get<std::uint64_t>();
    s.work_check = json.at("work_check").get<std::size_t>();
    s.cpu = json.at("cpu").get<int>();
    const nlohmann::json& measured = json.at("phases");
    bool has_other_phases = measured.size() != phases.size();
    for (std::size_t p = 0; p != std::min(phases.size(), measured.size()); ++p) {
        if (measured[p].at("name").get<std::string>() != phases[p].name) {
            has_other_phases = true;
        }
        s.cycles.push_back(measured[p].at("cycles").get<double>());
        s.faults.push_back(measured[p].at("faults").get<double>());
        s.metrics.push_back(measured[p].value("metrics", std::map<std::string, double>{}));
    }
    return has_other_phases ? "the worker measured other phases than asked" : "";
}

} // namespace

worker_client::worker_client(const bench_options& options, const interrupt_guard& guard,
                             std::function<void()> tick)
    : options_{&options},
      guard_{&guard},
      tick_{std::move(tick)} {}

worker_reply worker_client::prove(const contender& c, std::string_view worker) const {
    return run(c, {}, worker, {});
}

worker_reply worker_client::measure(const contender& c, const scenario& s, std::string_view variant) const {
    const bench_options& o = *options_;
    std::vector<std::string> arguments{"--scenario",
                                       std::string{s.name},
                                       "--variant",
                                       std::string{variant},
                                       "--cpu",
                                       o.cpu,
                                       "--work",
                                       std::to_string(o.work),
                                       "--container",
                                       o.container,
                                       "--n",
                                       std::to_string(o.n),
                                       "--objects",
                                       std::to_string(o.objects),
                                       "--object-bytes",
                                       std::to_string(o.object_bytes)};
    return run(c, std::move(arguments), s.worker, s.phases);
}

worker_reply worker_client::run(const contender& c, std::vector<std::string> arguments,
                                std::string_view worker, std::span<const phase_info> phases) const {
    worker_reply reply;
    static_cast<worker_answer&>(reply) =
        ask_worker(worker, std::move(arguments), c, options_->timeout, *guard_, tick_,
                   [&](const nlohmann::json& json) { return read_sample(json, phases, reply); });
    return reply;
}

} // namespace linn::tool
