// SPDX-License-Identifier: Apache-2.0
// A worker's answer is believed only where it can be read whole; its own problem comes first.
#include "bench/runner.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::worker_answer_tests {

nlohmann::json good_answer(const std::string& error = {}) {
    return {{"proof", {{"malloc", "/lib/libc.so.6"}}},
            {"preload_mapped", true},
            {"error", error},
            {"compiler", "12.2"},
            {"build", "optimised"},
            {"canary", {1.5, 2}},
            {"cpu_share", 0.5},
            {"peak_rss_bytes", 4096},
            {"work_check", 7},
            {"cpu", 1},
            {"phases", {{{"name", "hot"}, {"cycles", 8}, {"faults", 0}}}}};
}

const std::vector<phase_info> asked{{"hot", "hot"}};

TEST_CASE("proof and sample are read") {
    const worker_reply r = read_reply(good_answer().dump(), asked);
    CHECK(r.problem == "");
    CHECK(r.proof.files.at("malloc") == "/lib/libc.so.6");
    CHECK(r.proof.preload_mapped);
    CHECK(r.measured.canary == 2);
    CHECK(r.measured.cycles == std::vector<double>{8});
}

TEST_CASE("a worker's own problem comes first, then other phases than asked") {
    CHECK(read_reply(good_answer("blocks overlap").dump(), {}).problem == "blocks overlap");
    CHECK(read_reply(good_answer().dump(), {}).problem == "the worker measured other phases than asked");
}

TEST_CASE("an answer that is cut, empty, or lacks something is a problem") {
    const nlohmann::json whole = good_answer();
    const std::string text = whole.dump();
    for (std::size_t length = 0; length != text.size(); ++length) {
        CHECK(read_reply(text.substr(0, length), asked)
                  .problem.starts_with("the worker's reply cannot be read"));
    }
    for (const auto& [field, value] : whole.items()) {
        CAPTURE(field);
        nlohmann::json json = whole;
        json.erase(field);
        CHECK(read_reply(json.dump(), asked).problem.starts_with("the worker's reply cannot be read"));
    }
}

} // namespace linn::tool::worker_answer_tests
