// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

#include <sys/mman.h>

#include <memory>
#include <new>

namespace linn::tool::worker {
namespace {

template <std::size_t Bytes>
struct unmap {
    void operator()(void* p) const noexcept { ::munmap(p, Bytes); }
};

/// What an allocator does that returns every large block to the system.
template <std::size_t Bytes>
struct mapping {
    using handle = std::unique_ptr<void, unmap<Bytes>>;
    static constexpr std::size_t bytes = Bytes;

    static handle acquire() {
        void* p = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        return handle{p};
    }
    static void* data(const handle& h) { return h.get(); }
};

constexpr variant all[] = {
    {"buffers", "mmap", &run_buffers<mapping>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
