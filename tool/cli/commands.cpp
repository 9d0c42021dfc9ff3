// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

namespace linn::tool {
namespace {

constexpr make_command every_command[]{
    &make_bench, &make_compare, &make_run,  &make_record,     &make_trace,      &make_check, &make_advise,
    &make_try,   &make_pools,   &make_lint, &make_allocators, &make_completion, &make_man,
};

} // namespace

std::span<const make_command> command_table() noexcept {
    return every_command;
}

bool is_whole_build() noexcept {
    return true;
}

} // namespace linn::tool
