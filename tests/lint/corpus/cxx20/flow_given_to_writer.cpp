// SPDX-License-Identifier: Apache-2.0
#include <memory>
bool decompress(const char* from, char* to, std::size_t n);
std::unique_ptr<char[]> load(const char* from, std::size_t n) {
    auto buffer = std::make_unique<char[]>(n); // finds 1 each, note
    if (!decompress(from, buffer.get(), n)) {
        return nullptr;
    }
    return buffer;
}
