// SPDX-License-Identifier: Apache-2.0
#include <memory>
struct line {
    int used = 0;
    char data[4096];
};
auto a = std::make_shared<line>(3);
auto b = std::make_unique<line>(line{});
