// SPDX-License-Identifier: Apache-2.0
// Containers within containers: what is copied into one allocates for itself, and the block is not the outer one's. Documents of
// a library: case_json_library of advise_cases.py.
#include "truth.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using sample::truth;

constexpr const char* word = "a text that is longer than the string itself";

/// Copies of containers of containers.
void copy_nested(std::size_t n) {
    const std::vector<std::string> words(4, word);
    const std::map<int, std::set<long>> numbers{{1, {1, 2, 3}}, {2, {4, 5}}};
    const std::vector<std::vector<short>> rows(3, std::vector<short>(5));
    truth::expect("char", "std::string", 4);
    for (std::size_t i = 0; i < n; ++i) {
        auto words_copy = words;
        auto numbers_copy = numbers;
        auto rows_copy = rows;
        sample::keep(words_copy);
        sample::keep(numbers_copy);
        sample::keep(rows_copy);
    }
    truth::expect("std::string", "std::vector<std::string>", n);
    truth::expect("char", "std::string", 4 * n);
    truth::expect("std::pair<const int, std::set<long>>", "std::map<int, std::set<long>>", 2 * n);
    truth::expect("long", "std::set<long>", 5 * n);
    truth::expect("std::vector<short>", "std::vector<std::vector<short>>", n);
    truth::expect("short", "std::vector<short>", 3 * n);
}

/// Strings of wide letters, and strings as keys.
void count_words(std::size_t n) {
    std::unordered_map<std::string, int> counts;
    for (std::size_t i = 0; i < n; ++i) {
        const std::wstring wide(20 + i % 30, L'w');
        sample::keep(wide);
        ++counts[word + std::to_string(i)];
    }
    truth::expect("wchar_t", "std::wstring", n);
    truth::expect("std::pair<const std::string, int>", "std::unordered_map<std::string, int>", n);
}

} // namespace

int main() {
    copy_nested(200);
    count_words(300);
    return truth::write();
}
