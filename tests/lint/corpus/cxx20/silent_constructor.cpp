// SPDX-License-Identifier: Apache-2.0
// bytes: line 0
#include <memory>
struct line {
    line() {}
    char data[1024];
    int used = 0;
};
auto a = std::make_shared<line>();
auto b = std::make_unique<line>();
