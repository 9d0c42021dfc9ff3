// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
std::unique_ptr<char[]> join(const char* a, const char* b) {
    auto text = std::make_unique<char[]>(100);
    std::strcat(text.get(), a);
    std::strcat(text.get(), b);
    return text;
}
