// SPDX-License-Identifier: Apache-2.0
#include "buffer_threads.hpp"

#include <linn/buffer_pool.hpp>

namespace linn::bench::buffer_threads {
namespace {

/// One pool for both threads.
class pooled {
public:
    explicit pooled(std::size_t bytes) : buffers_{bytes} {}
    [[gnu::always_inline]] buffer take() { return buffers_.acquire(); }
    static const void* data(const buffer& b) noexcept { return b.data(); }

private:
    buffer_pool buffers_;
};

} // namespace

void run_linn(sampler& s) {
    measure<pooled>(s);
}

} // namespace linn::bench::buffer_threads
