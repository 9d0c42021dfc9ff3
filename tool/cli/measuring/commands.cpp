// SPDX-License-Identifier: Apache-2.0
#include "../command.hpp"

namespace linn::tool {
namespace {

constexpr make_command every_command[]{&make_bench, &make_allocators};

} // namespace

std::span<const make_command> command_table() noexcept {
    return every_command;
}

bool is_whole_build() noexcept {
    return false;
}

} // namespace linn::tool
