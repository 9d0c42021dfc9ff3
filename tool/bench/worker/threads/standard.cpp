// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <new>

namespace linn::tool::worker {
namespace {

/// Every program knows the size of a block that it frees, and passes it.
struct new_delete {
    static void* take(std::size_t bytes) { return ::operator new(bytes); }
    static void give(void* p, std::size_t bytes) noexcept { ::operator delete(p, bytes); }
};

constexpr auto all = all_programs<new_delete>("new_delete");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
