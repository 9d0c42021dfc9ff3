// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace linn::tool::worker {

/// Linn's pools by size: each size up to 512 bytes, in steps of 8, has a `linn::pool` of its own, as each type would
/// have; what is larger, or aligned, comes from the process's `linn::pool_resource`.
class linn_pools {
public:
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        if (bytes <= largest_pooled && alignment <= natural_alignment(bytes)) [[likely]]
            return table[(bytes + 7) / 8].allocate();
        return default_pool_resource()->allocate(bytes, alignment == 0 ? default_alignment : alignment);
    }

    static void release(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes <= largest_pooled && alignment <= natural_alignment(bytes)) [[likely]]
            table[(bytes + 7) / 8].release(p);
        else
            default_pool_resource()->deallocate(p, bytes, alignment == 0 ? default_alignment : alignment);
    }

private:
    static constexpr std::size_t largest_pooled = 512;
    static constexpr std::size_t default_alignment = 16;

    static constexpr std::size_t natural_alignment(std::size_t bytes) noexcept {
        return (bytes + 7) / 8 % 2 == 0 ? 16 : 8;
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

    static const std::array<functions, largest_pooled / 8 + 1> table;
};

inline constexpr std::array<linn_pools::functions, linn_pools::largest_pooled / 8 + 1> linn_pools::table =
    linn_pools::make_table(std::make_index_sequence<linn_pools::largest_pooled / 8 + 1>{});

} // namespace linn::tool::worker
