// SPDX-License-Identifier: Apache-2.0
#include <memory>
struct line {
    char data[4096];
    int used = 0;
};
auto a = std::make_shared_for_overwrite<line>();
auto b = std::make_unique_for_overwrite<line>();
auto c = std::make_unique_for_overwrite<char[]>(4096);
line* d = new line;
char* e = new char[4096];
