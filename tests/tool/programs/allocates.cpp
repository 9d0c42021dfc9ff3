// SPDX-License-Identifier: Apache-2.0
// Allocates and frees as often as its first argument says, in C++, then says so.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int count, char** arguments) {
    const int times = count > 1 ? std::atoi(arguments[1]) : 10'000;
    std::vector<std::string> kept;
    for (int i = 0; i != times; ++i) {
        kept.emplace_back(40 + static_cast<std::size_t>(i) % 100, 'x');
        if (kept.size() == 100) {
            std::fprintf(stderr, "%d strings\n", i + 1);
            kept.clear();
        }
    }
    std::printf("made %d strings\n", times);
    return 0;
}
