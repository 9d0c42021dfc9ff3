// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace linn::tool {

void command::say(std::string_view what) const {
    fmt::print(stderr, "linn {}: {}\n", app_->get_name(), what);
}

void command::warn(std::string_view what) const {
    say(fmt::format("warning: {}", what));
}

int command::refuse(std::string_view problem, int status) const {
    say(problem);
    return status;
}

int command::refuse_arguments(std::string_view problem) const {
    refuse(problem);
    fmt::print(stderr, "Try 'linn {} --help'.\n", app_->get_name());
    return exit_usage;
}

} // namespace linn::tool
