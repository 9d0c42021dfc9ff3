// SPDX-License-Identifier: Apache-2.0
// A fix would be wrong for the one that counts on zeros.
#include <memory>
struct histogram {
    long data[256];
    int id = 0;
};
struct buffer {
    char data[4096]; // member 4096
    int id = 0;
};
template <class T>
auto generate() {
    auto made = std::make_unique<T>(); // finds 4096, no fix
    if constexpr (sizeof(made->data[0]) == sizeof(long)) {
        made->data[7] += 1;
    }
    return made;
}
auto a = generate<histogram>();
auto b = generate<buffer>();
