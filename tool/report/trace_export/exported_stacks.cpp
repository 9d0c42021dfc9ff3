// SPDX-License-Identifier: Apache-2.0
#include "exported_stacks.hpp"

#include <fmt/format.h>

namespace linn::tool {

std::vector<exported_stack> exported_stacks(const trace_profile& profile, block_filter filter,
                                            bool keeps_runtime) {
    std::vector<exported_stack> stacks;
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        const block_counts counts = counts_of(profile, i, filter, keeps_runtime);
        if (counts.blocks == 0 && counts.bytes == 0) {
            continue;
        }
        const analysed_site& site = profile.analysis.sites[i];
        const block_counts live =
            filter == block_filter::leaks ? counts : counts_of(profile, i, block_filter::leaks, true);
        stacks.push_back({site.stack, site.call, site.statistics, counts, live});
    }
    return stacks;
}

address_names names_by(const trace_info& info, symbolizer& symbols) {
    return [&](const code_address& at) {
        if (at.module >= info.modules.size()) {
            return std::vector<symbol_frame>(1);
        }
        const trace_module& m = info.modules[at.module];
        return symbols.frames({m.path, m.build_id, at.address - 1});
    };
}

std::string name_of(const symbol_frame& frame, const code_address& at, const trace_info& info) {
    if (!frame.function.empty()) {
        return frame.function;
    }
    if (at.module >= info.modules.size()) {
        return fmt::format("{:#x}", at.address);
    }
    return fmt::format("{:#x} in {}", at.address, file_name(info.modules[at.module].path));
}

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace linn::tool
