// SPDX-License-Identifier: Apache-2.0
// In a worker of its own: only this one is linked with the libraries.
#include "../objects/pairs.hpp"

#include "library.hpp"

namespace linn::tool::worker {
namespace {

template <object_loop* Loop>
outcome run(const options& o) {
    return measure_pairs(o, Loop);
}

constexpr variant all[] = {
    {"pairs-shared", "new_delete", &run<&library_general>},
    {"pairs-shared", "linn_pool", &run<&library_pool>},
    {"pairs-shared", "linn_pool_call", &run<&library_pool_call>},
    {"pairs-shared", "linn_view", &run<&library_pool_view>},
    {"pairs-shared", "linn_initial_exec", &run<&initial_exec_pool>},
#if defined(LINN_HAS_TLS_DESCRIPTORS)
    {"pairs-shared", "linn_descriptor", &run<&descriptor_pool>},
    {"pairs-shared", "linn_descriptor_call", &run<&descriptor_pool_call>},
#endif
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
