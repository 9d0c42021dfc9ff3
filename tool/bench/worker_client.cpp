// SPDX-License-Identifier: Apache-2.0
#include "worker_client.hpp"

#include "../measure/companion.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace linn::tool {
namespace {

/// What the dynamic loader said about a library that it ignored, ready to append to a reason.
std::string loader_remark(const std::string& err) {
    const std::size_t start = err.find("ld.so: ");
    if (start == std::string::npos)
        return {};
    return fmt::format(" ({})", err.substr(start, err.find('\n', start) - start));
}

} // namespace

worker_reply parse_reply(const std::string& text, std::span<const phase_info> phases) {
    worker_reply reply;
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        for (const auto& [function, file] : json.at("proof").items())
            reply.proof.files[function] = file.get<std::string>();
        reply.proof.preload_mapped = json.at("preload_mapped").get<bool>();
        reply.broken_alignment = json.value("broken_alignment", std::string{});
        reply.compiler = json.at("compiler").get<std::string>();
        reply.build = json.at("build").get<std::string>();
        reply.problem = json.at("error").get<std::string>();
        sample& s = reply.measured;
        for (const nlohmann::json& canary : json.at("canary"))
            s.canary = std::max(s.canary, canary.get<double>());
        s.cpu_share = json.at("cpu_share").get<double>();
        s.peak_rss_bytes = json.at("peak_rss_bytes").get<std::uint64_t>();
        s.work_check = json.at("work_check").get<std::size_t>();
        s.cpu = json.at("cpu").get<int>();
        const nlohmann::json& measured = json.at("phases");
        if (reply.problem.empty() && measured.size() != phases.size())
            reply.problem = "the worker measured other phases than asked";
        for (std::size_t p = 0; p != std::min(phases.size(), measured.size()); ++p) {
            if (measured[p].at("name").get<std::string>() != phases[p].name)
                reply.problem = "the worker measured other phases than asked";
            s.cycles.push_back(measured[p].at("cycles").get<double>());
            s.faults.push_back(measured[p].at("faults").get<double>());
            s.metrics.push_back(measured[p].value("metrics", std::map<std::string, double>{}));
        }
    } catch (const nlohmann::json::exception& e) {
        reply.problem = fmt::format("the worker's reply cannot be read: {}", e.what());
    }
    return reply;
}

worker_client::worker_client(const bench_options& options, const interrupt_guard& guard,
                             std::function<void()> tick)
    : options_{&options},
      guard_{&guard},
      tick_{std::move(tick)} {
    program_ = companion("linn-bench-worker").string();
}

worker_reply worker_client::prove(const contender& c) const {
    return run(c, {}, nullptr);
}

worker_reply worker_client::measure(const contender& c, const scenario& s, std::string_view variant) const {
    std::vector<std::string> arguments{"--scenario", std::string{s.name}, "--cpu", options_->cpu};
    const std::vector<std::string> more =
        variant.empty() ? std::vector<std::string>{"--container",
                                                   options_->container,
                                                   "--n",
                                                   std::to_string(options_->n),
                                                   "--objects",
                                                   std::to_string(options_->objects),
                                                   "--object-bytes",
                                                   std::to_string(options_->object_bytes)}
                        : std::vector<std::string>{"--variant", std::string{variant}, "--work",
                                                   std::to_string(options_->work)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(c, std::move(arguments), &s);
}

worker_reply worker_client::run(const contender& c, std::vector<std::string> arguments,
                                const scenario* s) const {
    arguments.insert(arguments.begin(), {program_, "--contender", c.worker_id});
    if (!c.library.empty())
        arguments.insert(arguments.end(), {"--preload", c.library.string()});
    const child_result child = run_child(arguments, child_environment(c.library.string(), c.environment),
                                         options_->timeout, *guard_, tick_);

    worker_reply reply;
    reply.interrupted = child.how == child_result::ending::interrupted;
    if (child.how != child_result::ending::exited || child.code != 0) {
        reply.problem = describe_ending(child, options_->timeout);
        if (child.how == child_result::ending::not_started)
            reply.problem += fmt::format(" {}", program_);
        return reply;
    }
    reply = parse_reply(child.out, s == nullptr ? std::span<const phase_info>{} : s->phases);
    if (!reply.proof.files.empty())
        if (const std::string doubt = refute(reply.proof, c.library); !doubt.empty())
            reply.problem = doubt + loader_remark(child.err);
    return reply;
}

} // namespace linn::tool
