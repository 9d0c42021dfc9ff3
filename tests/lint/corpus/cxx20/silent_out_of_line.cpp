// SPDX-License-Identifier: Apache-2.0
// What a constructor writes that is not seen here counts as all.
#include <memory>
struct buffer {
    buffer();
    char data[4096];
};
struct outer {
    buffer first;
    int count = 0;
};
auto a = std::make_unique<outer>();
