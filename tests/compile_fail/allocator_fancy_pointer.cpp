// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::allocator: the upstream allocator must use plain pointers
#include <linn/allocator.hpp>

#include <cstddef>
#include <memory>

template <class T>
struct fancy {
    T* raw;
};

template <class T>
struct upstream {
    using value_type = T;
#ifndef LINN_CONTROL
    using pointer = fancy<T>;
#endif
    T* allocate(std::size_t n) { return std::allocator<T>{}.allocate(n); }
    void deallocate(T* p, std::size_t n) { std::allocator<T>{}.deallocate(p, n); }
};

static_assert(sizeof(linn::allocator<int, upstream<int>>) != 0);
