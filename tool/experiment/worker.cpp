// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include "../allocators/prober.hpp"
#include "../measure/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace linn::tool {

worker_answer read_answer(const std::string& text, const answer_reader& read) {
    worker_answer answer;
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        for (const auto& [function, file] : json.at("proof").items()) {
            answer.proof.files[function] = file.get<std::string>();
        }
        answer.proof.preload_mapped = json.at("preload_mapped").get<bool>();
        answer.problem = json.at("error").get<std::string>();
        if (std::string wrong = read(json); answer.problem.empty()) {
            answer.problem = std::move(wrong);
        }
    } catch (const nlohmann::json::exception& e) {
        answer.problem = fmt::format("the worker's reply cannot be read: {}", e.what());
    }
    return answer;
}

worker_answer ask_worker(std::string_view worker, std::vector<std::string> arguments, const contender& c,
                         std::chrono::seconds timeout, const interrupt_guard& guard,
                         const std::function<void()>& tick, const answer_reader& read) {
    const std::string program = companion(worker).string();
    arguments.insert(arguments.begin(), program);
    if (!c.library.empty()) {
        arguments.insert(arguments.end(), {"--preload", c.library.string()});
    }
    const child_result child =
        run_child(arguments, child_environment(c.library.string(), c.environment), timeout, guard, tick);
    if (child.how != child_result::ending::exited || child.code != 0) {
        worker_answer none;
        none.is_interrupted = child.how == child_result::ending::interrupted;
        none.problem = describe_ending(child, timeout);
        if (child.how == child_result::ending::not_started) {
            none.problem += fmt::format(" {}", program);
        }
        return none;
    }
    worker_answer answer = read_answer(child.out, read);
    if (answer.proof.files.empty()) {
        return answer;
    }
    if (const std::string doubt = refute(answer.proof, c.library); !doubt.empty()) {
        const std::string complaint = loader_complaint(child.err);
        answer.problem = complaint.empty() ? doubt : fmt::format("{} ({})", doubt, complaint);
    }
    return answer;
}

} // namespace linn::tool
