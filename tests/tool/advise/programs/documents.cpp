// SPDX-License-Identifier: Apache-2.0
// Parses, copies and writes documents by a library of headers, which allocates for the program.
#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>

namespace {

using nlohmann::json;

std::string write_people(int count) {
    json people = json::array();
    for (int i = 0; i < count; ++i) {
        people.push_back(
            {{"the number of the person", i},
             {"the full name of the person", "a name that is longer than sixteen characters"},
             {"addresses", {"the first address, with its street", "the second address, with its street"}}});
    }
    return people.dump();
}

std::size_t parse_people(const std::string& text) {
    const json people = json::parse(text);
    const json copy = people;
    return copy.size();
}

} // namespace

int main() {
    const std::string text = write_people(100);
    std::size_t sum = 0;
    for (int i = 0; i < 50; ++i) {
        sum += parse_people(text);
    }
    std::printf("%zu\n", sum);
}
