// SPDX-License-Identifier: Apache-2.0
// A worker's answer is believed only where it can be read whole; its own problem comes before what a reader finds.
#include "experiment/contenders.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::worker_answer_tests {

std::string good_answer(const std::string& error = {}) {
    return nlohmann::json{
        {"proof", {{"malloc", "/lib/libc.so.6"}}}, {"preload_mapped", true}, {"error", error}, {"value", 7}}
        .dump();
}

TEST_CASE("the proof is read, and the reader gets the rest") {
    int value = 0;
    const worker_answer a = read_answer(good_answer(), [&](const nlohmann::json& json) {
        value = json.at("value").get<int>();
        return std::string{};
    });
    CHECK(a.problem == "");
    CHECK(a.proof.files.at("malloc") == "/lib/libc.so.6");
    CHECK(a.proof.preload_mapped);
    CHECK(value == 7);
}

TEST_CASE("a worker's own problem comes first, then the reader's") {
    const answer_reader refuse = [](const nlohmann::json&) { return std::string{"other phases"}; };
    CHECK(read_answer(good_answer(), refuse).problem == "other phases");
    CHECK(read_answer(good_answer("blocks overlap"), refuse).problem == "blocks overlap");
}

TEST_CASE("an answer that is cut, empty, or lacks something is a problem") {
    const answer_reader read = [](const nlohmann::json& json) {
        return json.at("value").is_number() ? std::string{} : std::string{"no number"};
    };
    const std::string whole = good_answer();
    for (std::size_t length = 0; length != whole.size(); ++length) {
        CHECK(read_answer(whole.substr(0, length), read)
                  .problem.starts_with("the worker's reply cannot be read"));
    }
    for (const char* field : {"proof", "preload_mapped", "error", "value"}) {
        nlohmann::json json = nlohmann::json::parse(whole);
        json.erase(field);
        CHECK(read_answer(json.dump(), read).problem.starts_with("the worker's reply cannot be read"));
    }
}

} // namespace linn::tool::worker_answer_tests
