// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_PROCESS_POOL_HPP
#define LINN_TESTS_PROCESS_POOL_HPP

#include <linn/pool.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace linn_test {

/// linn::pool<T, O> as an object, as the other pools are: what all pools promise is tested once.
template <class T, linn::pool_options O = linn::pool_options{}>
struct process_pool {
    using value_type = T;
    using pool = linn::pool<T, O>;

    [[nodiscard]] T* allocate() { return pool::allocate(); }
    [[nodiscard]] T* try_allocate() noexcept { return pool::try_allocate(); }
    template <class... Args>
    [[nodiscard]] T* create(Args&&... args) {
        return pool::create(std::forward<Args>(args)...);
    }
    void deallocate(T* p) noexcept { pool::deallocate(p); }
    void destroy(T* p) noexcept { pool::destroy(p); }
    void allocate_n(std::span<T*> out) { pool::allocate_n(out); }
    void deallocate_n(std::span<T* const> all) noexcept { pool::deallocate_n(all); }
    void reserve(std::size_t objects) { pool::reserve(objects); }
    std::size_t trim() noexcept { return pool::trim(); }
    [[nodiscard]] linn::pool_statistics statistics() const { return pool::statistics(); }
    template <class F>
    std::size_t for_each_live(F&& f) {
        return pool::for_each_live(std::forward<F>(f));
    }
    [[nodiscard]] bool owns(const volatile void* p) const noexcept { return pool::owns(p); }
};

} // namespace linn_test

#endif
