// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace linn::tool::worker {

/// Linn's memory resource, whatever is asked of it. An alignment of 0 is the default one.
class resource_pools {
public:
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        return default_pool_resource()->allocate(bytes, alignment == 0 ? 16 : alignment);
    }

    static void release(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        default_pool_resource()->deallocate(p, bytes, alignment == 0 ? 16 : alignment);
    }
};

/// A `linn::pool` for each small size, as a type has one; what is larger, or aligned, comes from the resource. Good for the
/// few sizes of a type. With all the sizes of a program the processor could not foresee which pool it will be, which in the
/// program is decided when it is compiled.
class type_pools {
public:
    // Functions, as those of the system are: inlined they would change the loop for all that does not come here.

    [[gnu::noinline]] static void* allocate(std::size_t bytes, std::size_t alignment) {
        return is_small(bytes, alignment) ? table[(bytes + 7) / 8].allocate()
                                          : resource_pools::allocate(bytes, alignment);
    }

    [[gnu::noinline]] static void release(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (is_small(bytes, alignment)) {
            table[(bytes + 7) / 8].release(p);
        } else {
            resource_pools::release(p, bytes, alignment);
        }
    }

private:
    static constexpr std::size_t largest_small = 512;
    static constexpr std::size_t sizes = largest_small / 8 + 1;

    static constexpr std::size_t natural_alignment(std::size_t bytes) noexcept {
        return (bytes + 7) / 8 % 2 == 0 ? 16 : 8;
    }
    static constexpr bool is_small(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes <= largest_small && alignment <= natural_alignment(bytes);
    }

    template <std::size_t Bytes>
    struct alignas(natural_alignment(Bytes)) object {
        std::byte bytes[Bytes];
    };

    struct functions {
        void* (*allocate)();
        void (*release)(void*) noexcept;
    };

    template <std::size_t Bytes>
    static void* allocate_one() {
        return pool<object<Bytes>>::allocate();
    }
    template <std::size_t Bytes>
    static void release_one(void* p) noexcept {
        pool<object<Bytes>>::deallocate(static_cast<object<Bytes>*>(p));
    }

    template <std::size_t... I>
    static constexpr std::array<functions, sizeof...(I)> make_table(std::index_sequence<I...>) {
        return {functions{allocate_one<(I == 0 ? 8 : I * 8)>, release_one<(I == 0 ? 8 : I * 8)>}...};
    }

    static const std::array<functions, sizes> table;
};

inline constexpr std::array<type_pools::functions, type_pools::sizes> type_pools::table =
    type_pools::make_table(std::make_index_sequence<type_pools::sizes>{});

} // namespace linn::tool::worker
