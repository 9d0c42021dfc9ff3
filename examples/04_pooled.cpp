// SPDX-License-Identifier: Apache-2.0
// A class with its own operator new: every `new shape` and `make_unique<shape>()` is pooled.
#include <linn/pooled.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>

// [class]
struct shape : linn::pooled<shape> {
    virtual ~shape() = default;
    virtual const char* name() const { return "shape"; }
};
// [/class]

// [derived]
struct circle : shape { // inherits shape's operator new, which sees another size: not pooled
    const char* name() const override { return "circle"; }
    double radius = 1;
};

struct square : shape, linn::pooled<square> { // a pool of its own
    using linn::pooled<square>::operator new;
    using linn::pooled<square>::operator delete;
    const char* name() const override { return "square"; }
    double side = 1;
};
// [/derived]

template <class T>
std::size_t pooled_now() {
    return linn::pool<T>::statistics().live;
}

int main() {
    std::array<std::unique_ptr<shape>, 3> shapes{std::make_unique<shape>(), std::make_unique<circle>(),
                                                 std::make_unique<square>()};
    for (const auto& s : shapes) {
        std::printf("%s\n", s->name());
    }
    std::printf("pooled: %zu shape, %zu square\n", pooled_now<shape>(), pooled_now<square>());

    auto many = std::make_unique<shape[]>(10); // arrays are never pooled
    std::printf("pooled: %zu shape\n", pooled_now<shape>());

    shapes = {}; // each goes back to where it came from
    std::printf("pooled: %zu shape, %zu square\n", pooled_now<shape>(), pooled_now<square>());
}
