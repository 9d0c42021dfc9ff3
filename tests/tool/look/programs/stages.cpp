// SPDX-License-Identifier: Apache-2.0
// A program whose peak, temporary blocks and leaks are known. Its stages, in this order: 100 blocks of Early, released; 50 blocks
// of Held, all live at the peak; 300 blocks of Brief, each released at once; 40 steps of Grown, each released after the next
// one was allocated; 3 blocks of Lost, never released.
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

namespace stages {

template <std::size_t Bytes>
struct block {
    std::array<char, Bytes> bytes;
};
struct Early : block<64> {};
struct Held : block<4096> {};
struct Brief : block<48> {};
struct Grown : block<96> {};
struct Lost : block<1000> {};

/// Without it the compiler leaves the allocation out.
inline void keep(void* what) {
    asm volatile("" : : "r"(what) : "memory");
}

template <class T>
[[gnu::noinline]] T* make() {
    T* const made = new T;
    keep(made);
    return made;
}

template <class T>
[[gnu::noinline]] void hold(int count) {
    std::vector<std::unique_ptr<T>> all;
    all.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i != count; ++i) {
        all.emplace_back(make<T>());
    }
}

[[gnu::noinline]] void flicker() {
    for (int i = 0; i != 300; ++i) {
        delete make<Brief>();
    }
}

[[gnu::noinline]] void grow() {
    Grown* now = make<Grown>();
    for (int i = 1; i != 40; ++i) {
        Grown* const next = make<Grown>();
        delete now;
        now = next;
    }
    delete now;
}

[[gnu::noinline]] void lose() {
    for (int i = 0; i != 3; ++i) {
        keep(make<Lost>());
    }
}

} // namespace stages

int main() {
    stages::hold<stages::Early>(100);
    stages::hold<stages::Held>(50);
    stages::flicker();
    stages::grow();
    stages::lose();
    std::puts("done");
}
