// SPDX-License-Identifier: Apache-2.0
// The parentheses are empty here, not in the source.
// bytes: large 4096
#include <utility>
struct large {
    char data[4096]; // member 4096
    int value = 0;
};
template <class T, class... Args>
T* construct(Args&&... args) {
    return new T(std::forward<Args>(args)...); // finds 4096, no fix
}
large* one = construct<large>();
int* two = construct<int>(3);
