// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/pairs.hpp"

namespace linn::bench::pair_shared {

// These are in a shared library, loops included: what a plugin pays.
[[gnu::visibility("default")]] void run_linn(sampler& s);
[[gnu::visibility("default")]] void run_linn_call(sampler& s);
// Through a view of the pool that the loop keeps; and in a library of its own that is compiled with LINN_INITIAL_EXEC.
[[gnu::visibility("default")]] void run_linn_view(sampler& s);
[[gnu::visibility("default")]] void run_linn_initial_exec(sampler& s);
// In a library of its own that is compiled with -mtls-dialect=gnu2: TLS descriptors in place of __tls_get_addr.
[[gnu::visibility("default")]] void run_linn_descriptor(sampler& s);
[[gnu::visibility("default")]] void run_linn_descriptor_call(sampler& s);
[[gnu::visibility("default")]] void run_general(sampler& s);

} // namespace linn::bench::pair_shared
