// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// The command `allocators`: finds, proves and installs.
class allocators_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit allocators_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    /// Whether all that was asked for is installed; nothing when it could not begin.
    std::optional<bool> install(const interrupt_guard& guard);
    int deliver(bool installed_all) const;

    report_files files_;
    std::vector<std::string> names_;
    std::vector<std::string> given_; // NAME=PATH, unparsed
    std::vector<std::string> to_install_;
    user_allocators extra_;
    std::vector<allocator_entry> entries_;
    unsigned timeout_ = 10;
};

} // namespace linn::tool
