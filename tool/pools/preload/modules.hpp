// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../plan_tables.hpp"
#include "sites.hpp"

#include <cstdint>

namespace linn::tool::pools {

/// What became of a return address of the plan in this process.
struct resolved_address {
    std::uintptr_t address;
    site_state state;
};

/// Looks for the modules of a plan among the files that are loaded now, and compares the code before each return address.
void resolve_sites(const plan_tables& plan) noexcept;
resolved_address resolved_call(std::uint32_t site) noexcept;
resolved_address resolved_caller(std::uint32_t site) noexcept;

/// Whether files have come or gone since the last time this was asked, by the loader's own counts.
bool have_modules_changed() noexcept;

} // namespace linn::tool::pools
