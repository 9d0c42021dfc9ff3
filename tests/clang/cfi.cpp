// SPDX-License-Identifier: Apache-2.0
// Promise: polymorphic objects of every pool pass clang's control flow integrity, -fsanitize=cfi.
//
// Breaks with a cast that makes a T* of memory without a T, before the constructor or after the destructor: the program
// ends with SIGILL. So memory becomes a T* by detail::typed alone.
#include "every_function.hpp"

#include <stdexcept>

namespace {

long sum = 0;

struct shape {
    shape() = default;
    shape(const shape&) = default;
    shape& operator=(const shape&) = default;
    virtual ~shape() { ++sum; }
    [[nodiscard]] virtual int area() const { return 1; }
};
struct named {
    named() = default;
    named(const named&) = default;
    named& operator=(const named&) = default;
    virtual ~named() { ++sum; }
    [[nodiscard]] virtual int length() const { return 2; }
};
struct label : named, shape { // the shape is not at the start
    [[nodiscard]] int area() const override { return 4; }
};
struct diamond : virtual shape, virtual named {
    [[nodiscard]] int area() const override { return 5; }
};
struct disc : shape, linn::pooled<disc> {
    explicit disc(bool fails = false) {
        if (fails) {
            throw std::runtime_error{"planned"};
        }
    }
    [[nodiscard]] int area() const override { return 12; }
};
struct larger : disc { // another size than its pool's
    long more[9] = {};
};
struct shared : std::enable_shared_from_this<shared>, shape {};

// Twice each, since the second object lies where the first was destroyed.
template <class F>
void twice(const char* name, F f) {
    std::fprintf(stderr, "%s\n", name); // the last name is that of what failed
    f();
    f();
}

template <class T>
void shapes() {
    twice("pool", [] {
        T* p = linn::pool<T>::create();
        sum += p->area();
        linn::pool<T>::destroy(p);
    });
    twice("recycler", [] {
        linn::recycler<T> r;
        std::shared_ptr<shape> one = r.acquire_shared();
        const std::weak_ptr<shape> watch = one;
        sum += one->area() + r.acquire()->area();
        one.reset();
    });
    twice("shared_ptr", [] {
        const std::shared_ptr<shape> p = linn::make_shared<T>();
        const std::shared_ptr<shape> q = std::allocate_shared<T>(linn::allocator<T>{});
        const std::shared_ptr<T> r{new T, std::default_delete<T>{}, linn::allocator<T>{}};
        const std::shared_ptr<T[3]> three = linn::make_shared<T[3]>();
        sum += p->area() + q->area() + r->area() + three[2].area();
    });
    twice("unique_ptr", [] {
        if constexpr (!std::is_same_v<T, diamond>) {
            linn::base_ptr<shape> base = linn::make_unique<T>();
            sum += base->area();
            base = std::make_unique<T>();
            sum += base->area();
        }
    });
    // std::make_shared<T[]> and std::pmr::polymorphic_allocator::new_object of libc++ fail by themselves.
    twice("pool_resource", [] {
        linn::pool_resource r;
        std::pmr::list<T> l{&r};
        sum += l.emplace_back().area();
    });
    twice("buffer_pool", [] {
        linn::buffer_pool b{1 << 12};
        sum += b.make_shared_for_overwrite<T>()->area();
    });
}

template <class T>
void pooled_class() {
    twice("pooled", [] {
        const std::unique_ptr<shape> base = std::make_unique<T>();
        sum += base->area();
        delete new (std::nothrow) T;
    });
}

/// Reports and events call functions through pointers.
void callbacks() {
    const auto before = linn::set_pool_observer(
        [](const linn::pool_event& e) noexcept { sum += static_cast<long>(e.count); });
    const auto handler =
        linn::set_misuse_handler([](const linn::misuse& m) noexcept { sum += static_cast<long>(m.count); });
    {
        linn::local_pool<label> survivors;
        static_cast<void>(survivors.create());
    }
    linn::set_pool_observer(before);
    linn::set_misuse_handler(handler);
    linn::recycler<label> r{{.create = [] { return label{}; }, .reset = [](label& l) { sum += l.area(); }}};
    r.acquire().reset();
}

} // namespace

int main() {
    for (const auto& e : linn_test::every_function::entries) {
        twice(e.name, e.call);
    }
    shapes<label>();
    shapes<diamond>();
    pooled_class<disc>();
    pooled_class<larger>();
    twice("a constructor throws", [] {
        try {
            sum += std::make_unique<disc>(true)->area();
        } catch (const std::runtime_error&) {
            ++sum;
        }
    });
    twice("enable_shared_from_this", [] {
        linn::recycler<shared> r;
        sum += r.acquire_shared()->shared_from_this()->area();
        sum += linn::make_shared<shared>()->shared_from_this()->area();
    });
    callbacks();
    return sum != 0 ? 0 : 1;
}
