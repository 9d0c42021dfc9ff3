// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_COUNTING_UPSTREAM_HPP
#define LINN_TESTS_SUPPORT_COUNTING_UPSTREAM_HPP

#include <cstddef>
#include <memory>
#include <type_traits>

namespace linn_test {

struct upstream_counters {
    std::size_t allocations = 0;
    std::size_t deallocations = 0;
    std::size_t singles = 0; ///< of the allocations, those of one object
    std::ptrdiff_t objects = 0;
};

/// An allocator with an identity. Each propagation trait is switched separately, so that a wrapper
/// that gets one of them wrong is found by the container that then uses the wrong identity.
template <class T, bool Copy = false, bool Move = false, bool Swap = false, bool Select = false>
class counting_upstream {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::bool_constant<Copy>;
    using propagate_on_container_move_assignment = std::bool_constant<Move>;
    using propagate_on_container_swap = std::bool_constant<Swap>;
    using is_always_equal = std::false_type;

    template <class U>
    struct rebind {
        using other = counting_upstream<U, Copy, Move, Swap, Select>;
    };

    counting_upstream(int number, upstream_counters& counters) noexcept : id{number}, seen{&counters} {}
    template <class U>
    counting_upstream(const counting_upstream<U, Copy, Move, Swap, Select>& other) noexcept
        : id{other.id},
          seen{other.seen} {}

    T* allocate(std::size_t n) {
        T* p = std::allocator<T>{}.allocate(n);
        ++seen->allocations;
        seen->singles += n == 1 ? 1U : 0U;
        seen->objects += static_cast<std::ptrdiff_t>(n);
        return p;
    }
    void deallocate(T* p, std::size_t n) noexcept {
        ++seen->deallocations;
        seen->objects -= static_cast<std::ptrdiff_t>(n);
        std::allocator<T>{}.deallocate(p, n);
    }

    /// A copied container gets its original's identity plus 1000, when `Select` says so.
    counting_upstream select_on_container_copy_construction() const {
        return Select ? counting_upstream{id + 1000, *seen} : *this;
    }

    template <class U>
    friend bool operator==(const counting_upstream& a,
                           const counting_upstream<U, Copy, Move, Swap, Select>& b) noexcept {
        return a.id == b.id;
    }

    int id;
    upstream_counters* seen;
};

} // namespace linn_test

#endif
