// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include "engine/engine.hpp"

namespace model {

std::uint64_t clock::now_ms() noexcept {
    engine::thread* t = engine::current;
    return t != nullptr ? t->time += 2000 : 1;
}

} // namespace model
