// SPDX-License-Identifier: Apache-2.0
// bytes: line 0
#include <memory>
struct line {
    char data[4096]{};
    int used = 0;
};
auto a = std::make_shared<line>();
