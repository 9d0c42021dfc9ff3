// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_MODEL_ENGINE_FIBER_HPP
#define LINN_TESTS_MODEL_ENGINE_FIBER_HPP

#include <cstddef>

/// Stacks that the search switches between.
namespace model::engine {

[[nodiscard]] std::byte* allocate_stack();
/// A stack on which `run` begins when it is switched to. What was on it before is forgotten.
[[nodiscard]] void* new_stack(std::byte* stack, void (*run)());
/// Goes on at `next`; `*save` is what a later switch needs to come back here.
void switch_stack(void** save, void* next);

} // namespace model::engine

#endif
