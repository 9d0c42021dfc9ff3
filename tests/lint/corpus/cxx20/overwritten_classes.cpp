// SPDX-License-Identifier: Apache-2.0
// Who else may write, and what runs once.
// global: main
#include <cstddef>
#include <cstdint>
#include <vector>
void decode(std::uint8_t* to, std::size_t n);
std::vector<std::uint8_t> given_away(std::size_t n) {
    std::vector<std::uint8_t> v(n); // overwrites 1 each, no fix, relied upon
    decode(v.data(), n);
    return v;
}
std::vector<std::uint8_t> on_one_way(std::size_t n, bool ready) {
    std::vector<std::uint8_t> v(n); // overwrites 1 each, no fix, relied upon
    if (ready) {
        decode(v.data(), n);
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            v[i] = 1;
        }
    }
    return v;
}
static int called_in_a_loop() {
    std::vector<int> v(100); // overwrites 400, no fix, removable
    for (int i = 0; i < 100; ++i) {
        v[i] = i;
    }
    return v[7];
}
int main() {
    std::vector<int> small(100); // overwrites 400, no fix, cold
    for (int i = 0; i < 100; ++i) {
        small[i] = i;
    }
    std::vector<int> large(100000); // overwrites 400000, no fix, removable
    for (int i = 0; i < 100000; ++i) {
        large[i] = called_in_a_loop();
    }
    return small[3] + large[5];
}
