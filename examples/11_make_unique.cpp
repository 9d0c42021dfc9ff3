// SPDX-License-Identifier: Apache-2.0
// unique_ptr over a pool: one pointer wide, because its deleter has no state.
#include <linn/memory.hpp>

#include <cstdio>
#include <memory>
#include <utility>

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};

struct square final : shape {
    explicit square(double s) : side{s} {}
    double area() const override { return side * side; }
    double side;
};

int main() {
    // [unique]
    linn::unique_ptr<square> s = linn::make_unique<square>(3.0); // a slot of linn::pool<square>
    static_assert(sizeof(s) == sizeof(square*));
    // [/unique]
    std::printf("area %.0f, alive %zu\n", s->area(), linn::pool<square>::statistics().live);

    // [base]
    // linn::unique_ptr<shape> b = std::move(s);   does not compile: it would ask the pool of shape
    std::shared_ptr<shape> b = std::move(s); // keeps the deleter of square
    // [/base]
    std::printf("area %.0f\n", b->area());
    b.reset();

    // [release]
    square* raw = linn::make_unique<square>(2.0).release();
    linn::pool<square>::destroy(raw);
    // [/release]
    std::printf("alive %zu\n", linn::pool<square>::statistics().live);
}
