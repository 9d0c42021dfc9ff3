// SPDX-License-Identifier: Apache-2.0
#include <memory>

// bytes: large 4096
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

// bytes: large 4096
struct small {
    int value = 0;
};
struct medium {
    char data[128];
    int value = 0;
};
template <class T>
std::unique_ptr<T> generate_once() {
    return std::make_unique<T>(); // finds 4096, note
}
auto a_once = generate_once<small>();
auto b_once = generate_once<medium>();
auto c = generate_once<large>();
auto d = generate_once<large>();

// A fix would be wrong for the one that counts on zeros.
struct histogram {
    long data[256];
    int id = 0;
};
struct buffer {
    char data[4096]; // member 4096
    int id = 0;
};
template <class T>
auto generate_reads_in_one() {
    auto made = std::make_unique<T>(); // finds 4096, no fix
    if constexpr (sizeof(made->data[0]) == sizeof(long)) {
        made->data[7] += 1;
    }
    return made;
}
auto a_reads_in_one = generate_reads_in_one<histogram>();
auto b_reads_in_one = generate_reads_in_one<buffer>();
