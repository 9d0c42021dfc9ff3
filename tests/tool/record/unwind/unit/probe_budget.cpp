// SPDX-License-Identifier: Apache-2.0
// Looking for a type costs system calls: a few blocks of a place, fewer of a stack, and two where there is none.
#include "record/preload/rtti_probe.hpp"

#include <doctest/doctest.h>

#include <memory>

using linn::tool::preload::probe_budget;

namespace {

/// How many blocks of a stack are looked at, of as many as there may be.
unsigned looks(probe_budget& budget, std::uint32_t id, bool has_types) {
    unsigned count = 0;
    for (; budget.wants(id); ++count) {
        budget.spend(id);
        if (!has_types) {
            budget.found_none(id);
        }
    }
    return count;
}

} // namespace

TEST_CASE("four blocks of a stack, eight of a place") {
    const auto budget = std::make_unique<probe_budget>();
    const std::uintptr_t frames[] = {0x1000, 0x2000, 0x3000};
    CHECK_FALSE(budget->wants(1));
    for (std::uint32_t id = 1; id != 5; ++id) {
        budget->add(id, frames, 3);
        CHECK(looks(*budget, id, true) == (id <= 2 ? 4 : 0));
    }
}

TEST_CASE("two blocks of a stack that have no type") {
    const auto budget = std::make_unique<probe_budget>();
    const std::uintptr_t frames[] = {0x1000, 0x2000};
    budget->add(7, frames, 2);
    CHECK(looks(*budget, 7, false) == 2);
}
