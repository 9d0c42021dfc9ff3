// SPDX-License-Identifier: Apache-2.0
// Strings: alone, in vectors, as keys, built up, wide.
#include "truth.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace {

using sample::truth;

bool on_heap(const std::string& text) {
    return text.capacity() > std::string().capacity();
}

std::size_t split_words(std::size_t n) {
    std::vector<std::string> words;
    sample::growth<std::vector<std::string>> growth(words);
    std::size_t heap = 0;
    for (std::size_t i = 0; i < n; ++i) {
        words.emplace_back(5 + i % 60, 'x');
        heap += on_heap(words.back()) ? 1U : 0U;
        growth.see(words);
    }
    truth::expect("char", "std::string", heap);
    truth::expect("std::string", "std::vector<std::string>", growth.count());
    return words.size();
}

std::size_t build_lines(std::size_t n) {
    std::size_t total = 0;
    std::size_t growths = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::string line;
        sample::growth<std::string> growth(line);
        for (int part = 0; part < 10; ++part) {
            line += "a part of it ";
            growth.see(line);
        }
        growths += growth.count();
        total += line.size();
    }
    truth::expect("char", "std::string", growths);
    return total;
}

std::size_t count_words(std::size_t n) {
    std::unordered_map<std::string, int> counts;
    std::size_t keys = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::string key(30 + i % 10, static_cast<char>('a' + i % 26));
        const auto [place, is_new] = counts.emplace(key, 0);
        ++place->second;
        keys += is_new ? 1U : 0U;
    }
#ifdef __GLIBCXX__
    // Its emplace makes the node before it looks for the key, so it needs a node and a copy of the key each time.
    const std::size_t nodes = n;
#else
    const std::size_t nodes = keys;
#endif
    truth::expect("std::pair<const std::string, int>", "std::unordered_map<std::string, int>", nodes);
    truth::expect("char", "std::string", n + nodes);
    return keys;
}

std::size_t widen(std::size_t n) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::wstring wide(20 + i % 30, L'w');
        sample::keep(wide);
        total += wide.size();
    }
    truth::expect("wchar_t", "std::wstring", n);
    return total;
}

} // namespace

int main() {
    sample::keep(split_words(800));
    sample::keep(build_lines(400));
    sample::keep(count_words(500));
    sample::keep(widen(300));
    return truth::write();
}
