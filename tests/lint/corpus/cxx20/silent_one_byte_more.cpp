// SPDX-License-Identifier: Apache-2.0
// The last byte is the zero that ends the text.
#include <unistd.h>

#include <memory>
#include <string>
std::string load(int file, std::size_t n) {
    auto text = std::make_unique<char[]>(n + 1);
    if (::read(file, text.get(), n) < 0) {
        return {};
    }
    return std::string(text.get());
}
