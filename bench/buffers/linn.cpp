// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

#include <linn/buffer_pool.hpp>

namespace linn::bench::buffers {
namespace {

buffer_pool& pool() {
    static buffer_pool buffers{sizeof(line)};
    return buffers;
}

struct handles {
    static constexpr bool cheap = true;
    static buffer take() { return pool().acquire(); }
    static char* bytes(const buffer& b) { return reinterpret_cast<char*>(b.data()); }
};

struct objects {
    static constexpr bool cheap = true;
    static std::shared_ptr<line> take() { return pool().make_shared_for_overwrite<line>(); }
    static char* bytes(const std::shared_ptr<line>& l) { return l->data; }
};

} // namespace

void run_linn(sampler& s) {
    measure<handles>(s);
}

void run_linn_object(sampler& s) {
    measure<objects>(s);
}

} // namespace linn::bench::buffers
