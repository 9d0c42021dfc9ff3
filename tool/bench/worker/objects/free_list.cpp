// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"
#include "sets.hpp"

#include <new>

namespace linn::tool::worker {
namespace {

/// The usual pool: free objects are linked through their own memory, chunks are carved as they are needed and never given
/// back. One thread's only, so it needs no lock.
template <std::size_t Bytes>
class free_list {
    struct link {
        link* next;
    };

public:
    static void* take() {
        link* l = free_;
        if (l == nullptr) [[unlikely]] {
            l = carve();
        }
        free_ = l->next;
        return l;
    }

    static void give(void* p) noexcept {
        link* l = static_cast<link*>(p);
        l->next = free_;
        free_ = l;
    }

private:
    [[gnu::noinline]] static link* carve() {
        constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
        char* chunk = static_cast<char*>(::operator new(chunk_bytes));
        for (std::size_t n = chunk_bytes / Bytes; n > 0; --n) {
            give(chunk + (n - 1) * Bytes);
        }
        return free_;
    }

    static inline constinit thread_local link* free_ = nullptr;
};

constexpr variant all[] = {
    {"pairs", "free_list", &run_pairs<free_list<object_bytes>>},
    {"scattered", "free_list", &run_scattered<free_list<object_bytes>>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
