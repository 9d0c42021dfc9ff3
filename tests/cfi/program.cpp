// SPDX-License-Identifier: Apache-2.0
// Promise: polymorphic objects of every pool pass clang's control flow integrity, -fsanitize=cfi.
//
// Breaks with a cast that makes a T* of memory without a T, before the constructor or after the destructor: the program
// ends with SIGILL. So memory becomes a T* by detail::typed alone.
#include <linn/linn.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

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
struct square : shape {
    square() = default;
    explicit square(int n) : side{n} {}
    int side = 2;
    [[nodiscard]] int area() const override { return side * side; }
};
struct label : named, square { // the shape is not at the start
    using square::square;
    [[nodiscard]] int length() const override { return side; }
};
struct diamond : virtual shape, virtual named {
    explicit diamond(int n = 1) : size{n} {}
    int size;
    [[nodiscard]] int area() const override { return size; }
};
struct disc : shape, linn::pooled<disc> {
    explicit disc(bool fails = false) {
        if (fails) {
            throw std::runtime_error{"planned"};
        }
    }
    int radius = 2;
    [[nodiscard]] int area() const override { return 3 * radius * radius; }
};
struct alignas(64) wide : shape, linn::pooled<wide> {
    [[nodiscard]] int area() const override { return 64; }
};
struct larger : disc { // another size than its pool's
    long more[9] = {};
};
struct shared : std::enable_shared_from_this<shared>, shape {
    [[nodiscard]] int area() const override { return 5; }
};

// Twice each, since the second object lies where the first was destroyed.
template <class F>
void twice(const char* name, F f) {
    std::fprintf(stderr, "%s\n", name); // the last name is that of what failed
    f();
    f();
}

template <class T>
void pools() {
    using pool = linn::pool<T>;
    twice("pool::create", [] {
        T* p = pool::create(3);
        sum += p->area();
        pool::destroy(p);
    });
    twice("pool::allocate", [] {
        T* p = pool::allocate();
        pool::deallocate(p);
        p = pool::try_allocate();
        std::construct_at(p, 2);
        sum += p->area();
        std::destroy_at(p);
        pool::deallocate(p);
    });
    twice("pool::on_this_thread", [] {
        const auto here = pool::on_this_thread();
        T* p = here.create(3);
        sum += p->area();
        here.destroy(p);
    });
    twice("pool::allocate_n", [] {
        std::array<T*, 40> some{};
        pool::allocate_n(some);
        sum += static_cast<long>(pool::for_each_live(
            [](T& storage) { sum += reinterpret_cast<std::uintptr_t>(&storage) != 0 ? 1 : 0; }));
        pool::deallocate_n(some);
    });
    twice("pool::for_each_live", [] {
        T* p = pool::create(3);
        pool::for_each_live([](T& object) {
            sum += object.area();
            pool::destroy(&object);
        });
        static_cast<void>(p);
    });
    twice("local_pool", [] {
        linn::local_pool<T> l;
        T* p = l.create(3);
        sum += p->area();
        l.destroy(p);
        p = l.create(4);
        T* q = l.allocate();
        l.deallocate(q);
        l.for_each_live([](T& object) { sum += object.area(); });
        l.destroy(p);
    });
    twice("fixed_pool", [] {
        linn::fixed_pool<T, 4> f;
        T* p = f.create(3);
        sum += p->area();
        f.destroy(p);
        p = f.try_create(4);
        f.for_each_live([](T& object) { sum += object.area(); });
        f.destroy(p);
    });
    twice("handle_pool", [] {
        linn::handle_pool<T> h;
        const auto a = h.create(3);
        sum += h.get(a)->area() + std::as_const(h).get(a)->area();
        for (T& object : h) {
            sum += object.area();
        }
        h.destroy(a);
        sum += h.get(a) == nullptr ? 1 : 0;
        h.destroy(h.create(4));
    });
    twice("recycler", [] {
        linn::recycler<T> r;
        auto one = r.acquire();
        sum += one->area();
        one.reset();
        auto two = r.acquire_shared();
        const std::weak_ptr<T> watch = two;
        sum += two->area();
        two.reset();
        sum += r.try_acquire()->area();
    });
    twice("unique_ptr", [] {
        auto p = linn::make_unique<T>(2);
        sum += p->area();
        auto q = linn::make_unique_for_overwrite<T>();
        sum += q->area();
        linn::base_ptr<shape> base;
        if constexpr (!std::is_same_v<T, diamond>) {
            base = std::move(p);
            sum += base->area();
            base = std::make_unique<T>(2);
            sum += base->area();
        }
    });
    twice("make_shared", [] {
        const std::shared_ptr<shape> p = linn::make_shared<T>(2);
        const std::shared_ptr<T> q = linn::make_shared_for_overwrite<T>();
        const std::shared_ptr<T[3]> three = linn::make_shared<T[3]>();
        sum += p->area() + q->area() + three[2].area();
    });
    twice("allocate_shared", [] {
        const std::shared_ptr<shape> p = std::allocate_shared<T>(linn::allocator<T>{}, 2);
        const std::shared_ptr<T> q{new T{3}, std::default_delete<T>{}, linn::allocator<T>{}};
        sum += p->area() + q->area();
    });
    twice("allocator", [] {
        std::vector<T, linn::allocator<T>> v;
        v.emplace_back(2);
        v.emplace_back(2);
        std::list<T, linn::allocator<T>> l;
        l.emplace_back(2);
        linn::map<int, T> m;
        m.try_emplace(1, 2);
        linn::unordered_map<int, T> u;
        u.try_emplace(1, 2);
        sum += v[1].area() + l.front().area() + m.at(1).area() + u.at(1).area();
    });
    // std::make_shared<T[]> and std::pmr::polymorphic_allocator::new_object of libc++ fail by themselves.
    twice("pool_resource", [] {
        linn::pool_resource r;
        std::pmr::list<T> l{&r};
        l.emplace_back(2);
        sum += l.front().area();
    });
    twice("buffer_pool", [] {
        linn::buffer_pool b{1 << 12};
        sum += b.make_shared_for_overwrite<T>()->area();
    });
}

template <class T>
void pooled_class() {
    twice("pooled", [] {
        auto p = std::make_unique<T>();
        sum += p->area();
        const std::unique_ptr<shape> base = std::make_unique<T>();
        sum += base->area();
        delete new (std::nothrow) T;
    });
}

/// Reports and events call functions through pointers.
void callbacks() {
    const auto before = linn::set_pool_observer(
        [](const linn::pool_event& e) noexcept { sum += static_cast<long>(e.count); });
    struct fresh : shape {
        long more[5] = {};
    };
    linn::pool<fresh>::destroy(linn::pool<fresh>::create());
    linn::set_pool_observer(before);
    const auto handler =
        linn::set_misuse_handler([](const linn::misuse& m) noexcept { sum += static_cast<long>(m.count); });
    {
        linn::local_pool<fresh> survivors;
        static_cast<void>(survivors.create());
    }
    linn::set_misuse_handler(handler);
    linn::recycler<square> r{{.create = [] { return square{3}; }, .reset = [](square& s) { s.side = 1; }}};
    r.acquire().reset();
    sum += r.acquire()->area();
}

} // namespace

int main() {
    pools<square>();
    pools<label>();
    pools<diamond>();
    pooled_class<disc>();
    pooled_class<wide>();
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
