// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
struct slot {
    std::optional<std::array<char, 100>> value; // member 99
    int kind;                                   // member 4
};
struct line {
    char data[8192]; // member 8192
    std::mutex lock;
    std::atomic<long> users = 0;
};
auto a = std::make_unique<slot>(); // finds 106, note
auto b = std::make_unique<line>(); // finds 8192, fix
// libc++ 19 has the other form, but does not define the macro that says so.
auto c = std::make_shared<line>(); // finds 8192, fix
int use(std::size_t n) {
    auto p = std::make_shared<int[]>(n);
    return p[1]++;
}
