// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::bench {

/// The usual pool, as a contender: free objects are linked through their own memory, chunks are carved as they
/// are needed and never given back. One thread's only, so it needs no lock.
template <class T>
class list_pool {
    struct link {
        link* next;
    };
    static_assert(sizeof(T) >= sizeof(link));

public:
    static T* take() {
        link* l = free_;
        if (l == nullptr) [[unlikely]] {
            l = carve();
        }
        free_ = l->next;
        return reinterpret_cast<T*>(l);
    }

    static void give(T* p) noexcept {
        link* l = reinterpret_cast<link*>(p);
        l->next = free_;
        free_ = l;
    }

private:
    [[gnu::noinline]] static link* carve() {
        constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
        unsigned char* chunk = static_cast<unsigned char*>(::operator new(chunk_bytes));
        for (std::size_t n = chunk_bytes / sizeof(T); n > 0; --n) {
            give(reinterpret_cast<T*>(chunk + (n - 1) * sizeof(T)));
        }
        return free_;
    }

    static inline constinit thread_local link* free_ = nullptr;
};

} // namespace linn::bench
