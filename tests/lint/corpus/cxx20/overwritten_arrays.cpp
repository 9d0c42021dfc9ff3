// SPDX-License-Identifier: Apache-2.0
// Arrays and objects of a function: the initialiser goes.
#include <stdio.h>
#include <string.h>

#include <array>
#include <cstdint>
void use(const int* p);
void consume(const void* p);
void squares(int k) {
    int all[256] = {}; // overwrites 1024, fix, removable
    for (int i = 0; i < 256; ++i) {
        all[i] = i * k;
    }
    use(all);
}
void of_std(const char* from) {
    std::array<char, 4096> text{}; // overwrites 4096, fix, removable
    memcpy(text.data(), from, text.size());
    consume(&text);
}
struct header {
    std::uint64_t first[4];
    std::uint64_t second[4];
    std::uint64_t length;
};
void send(const std::uint64_t* from, std::uint64_t n) {
    header h{}; // overwrites 72, fix, removable
    memcpy(h.first, from, sizeof h.first);
    memcpy(h.second, from + 4, sizeof h.second);
    h.length = n;
    consume(&h);
}
void begun(const std::uint64_t* from) {
    header h{};
    memcpy(h.first, from, sizeof h.first);
    consume(&h);
}
