// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include "advise_command.hpp"
#include "allocators_command.hpp"
#include "bench_command.hpp"
#include "check_command.hpp"
#include "compare_command.hpp"
#include "lint_command.hpp"
#include "pools_command.hpp"
#include "record_command.hpp"
#include "run_command.hpp"
#include "trace_command.hpp"
#include "try_command.hpp"
#include "words_commands.hpp"

namespace linn::tool {
namespace {

constexpr make_command every_command[]{
    make<bench_command>, make<compare_command>, make<run_command>,        make<record_command>,
    make<trace_command>, make<check_command>,   make<advise_command>,     make<try_command>,
    make<pools_command>, make<lint_command>,    make<allocators_command>, make<completion_command>,
    make<man_command>,
};

} // namespace

std::span<const make_command> command_table() noexcept {
    return every_command;
}

bool is_whole_build() noexcept {
    return true;
}

} // namespace linn::tool
