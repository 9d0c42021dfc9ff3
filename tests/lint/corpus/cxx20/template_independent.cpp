// SPDX-License-Identifier: Apache-2.0
// bytes: large 4096
#include <memory>
struct large {
    char data[4096]; // member 4096
    int value = 0;
};
template <class T>
auto generate(T) {
    return std::make_unique<large>(); // finds 4096, note
}
auto a = generate(1);
auto b = generate(2.0);
