// SPDX-License-Identifier: Apache-2.0
// bytes: large 4096
#include <memory>
struct large {
    char data[4096]; // member 4096
    int value = 0;
};
#define MAKE(T) std::make_unique<T>()
auto a = MAKE(large); // finds 4096, no fix
