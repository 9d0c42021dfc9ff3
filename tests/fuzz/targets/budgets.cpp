// SPDX-License-Identifier: Apache-2.0
// The reader of budgets: it takes a text or refuses it, with a line and a reason of one line, whatever is in it. What it takes
// has a limit and a name in every budget. The input is either a text or changes to a good one.
#include "check/budgets.hpp"

#include "../support/expect.hpp"
#include "../support/target.hpp"
#include "../support/text_changes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace linn_fuzz;
using namespace linn::tool;

constexpr std::string_view good = R"(# Budgets.
linn_budgets = 1

[[budget]]
name = "no \"copy\" \u00e9"
type = "std::list<*>"
function = 'engine::*'
file = "src/engine.cpp"
allocations = 0
[[budget]]
program = "engine_test"
allocations = 1_000
bytes = "64 KiB"
peak_bytes = 0x1000
temporary = 7
live_blocks = 0
live_bytes = "0 B"
)";
constexpr std::string_view words[] = {"[[budget]]\n", "allocations = 1\n",    "name = \"x\"\n",
                                      "KiB",          "99999999999999999999", "*"};

void check(const std::vector<budget>& budgets, std::size_t lines) {
    expect(!budgets.empty(), "a file without budgets");
    for (const budget& b : budgets) {
        expect(b.line >= 1 && b.line <= lines, "a line that is not there");
        expect(!b.name.empty(), "a budget without a name");
        expect(std::any_of(b.most.begin(), b.most.end(), [](const auto& m) { return m.has_value(); }),
               "a budget without a limit");
        // A pattern is compared with what it says itself, and without its end.
        expect(matches(b.type, b.type), "a pattern that does not match itself");
        expect(matches("*" + b.type + "*", "x" + b.type + "y"), "a pattern within a text");
    }
}

void read(const std::string& text) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2;
    std::string problem;
    std::size_t count = 0;
    try {
        const std::vector<budget> budgets = read_budgets(text, "b.toml");
        count = budgets.size();
        check(budgets, lines);
    } catch (const unusable_budgets& error) {
        problem = error.what();
        expect(problem.starts_with("b.toml:") && problem.size() > 12, "a reason is missing");
        expect(std::none_of(problem.begin(), problem.end(),
                            [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
               "a reason of more than one line");
    }
    try {
        expect(read_budgets(text, "b.toml").size() == count && problem.empty(),
               "the same text is read in another way");
    } catch (const unusable_budgets& error) {
        expect(problem == error.what(), "the same text is refused for another reason");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view start = "linn_budgets";
    if (size > start.size() && std::memcmp(data, start.data(), start.size()) == 0) {
        ++operations_performed;
        read(std::string{reinterpret_cast<const char*>(data), size});
        return 0;
    }
    input in{data, std::min<std::size_t>(size, 4096)};
    while (!in.empty()) {
        read(changed_text(good, words, in));
    }
    return 0;
}
