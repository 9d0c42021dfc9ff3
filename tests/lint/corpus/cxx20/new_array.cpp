// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
void use(char*);
void copy(const char* from, std::size_t n) {
    char* all = new char[n](); // finds 1 each, fix
    std::memcpy(all, from, n);
    use(all);
    delete[] all;
}
