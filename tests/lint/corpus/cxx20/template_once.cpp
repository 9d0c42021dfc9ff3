// SPDX-License-Identifier: Apache-2.0
// bytes: large 4096
#include <memory>
struct small {
    int value = 0;
};
struct large {
    char data[4096]; // member 4096
    int value = 0;
};
struct medium {
    char data[128];
    int value = 0;
};
template <class T>
std::unique_ptr<T> generate() {
    return std::make_unique<T>(); // finds 4096, note
}
auto a = generate<small>();
auto b = generate<medium>();
auto c = generate<large>();
auto d = generate<large>();
