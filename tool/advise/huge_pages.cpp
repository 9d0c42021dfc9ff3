// SPDX-License-Identifier: Apache-2.0
#include "huge_pages.hpp"

#include "../measure/quantity.hpp"
#include "advice.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

std::uint64_t live_bytes(const advised_type& type) noexcept {
    const site_statistics& s = type.statistics;
    return s.sizes.empty() ? 0 : s.peak_live * preloaded_slot_bytes(s.sizes.front().first);
}

} // namespace

bool has_huge_objects(const advised_type& type) noexcept {
    return is_worth_huge_pages(live_bytes(type), 1);
}

bool is_worth_huge_pages(const advised_type& type) noexcept {
    const bool has_options = type.what == remedy::pooled_container || type.what == remedy::pool_allocator ||
                             type.what == remedy::pooled_class || type.what == remedy::make_shared;
    return has_options && has_huge_objects(type);
}

std::string huge_pages_text(const advised_type& type) {
    if (!type.wants_huge_pages) {
        return {};
    }
    const std::string live =
        is_worth_huge_pages(type)
            ? fmt::format("Its objects take {} at once", figures::bytes_text(live_bytes(type)))
            : "Objects of another type that this change serves take 2 MiB and more at once";
    return fmt::format(
        "{}: give the pool the option {}, which saves page faults. Without it a pool asks for huge "
        "pages from 64 MiB on.",
        live, huge_pages_option);
}

} // namespace linn::tool
