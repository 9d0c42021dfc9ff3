// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
struct inner {
    inner() { reset(); }
    void reset() { std::memset(data, 1, sizeof(data)); }
    char data[4096];
};
struct outer {
    inner first;
};
auto a = std::make_unique<outer>();
