// SPDX-License-Identifier: Apache-2.0
// In a worker of its own: only this one is linked with the libraries.
#include "../pairs.hpp"

#include "library.hpp"

namespace linn::tool::worker {
namespace {

template <object_loop* Loop>
outcome run(const options& o) {
    return measure_pairs(o, Loop);
}

constexpr variant all[] = {
    {"pairs-shared", "new_delete", &run<&usual::general>},
    {"pairs-shared", "linn_pool", &run<&usual::inlined>},
    {"pairs-shared", "linn_pool_call", &run<&usual::outlined>},
    {"pairs-shared", "linn_view", &run<&usual::view>},
    {"pairs-shared", "linn_initial_exec", &run<&initial_exec::inlined>},
#if defined(LINN_HAS_TLS_DESCRIPTORS)
    {"pairs-shared", "linn_descriptor", &run<&descriptor::inlined>},
    {"pairs-shared", "linn_descriptor_call", &run<&descriptor::outlined>},
#endif
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
