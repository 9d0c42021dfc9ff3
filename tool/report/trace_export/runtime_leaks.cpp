// SPDX-License-Identifier: Apache-2.0
#include "runtime_leaks.hpp"

#include "../../advise/runtime_blocks.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace linn::tool {
namespace {

/// The rule for what a stack has live; null: it is the program's.
const runtime_rule* rule_of(const trace_info& info, const std::vector<code_address>& stack,
                            const address_names& names, const stack_totals& t) {
    std::vector<std::vector<symbol_frame>> frames; // the calls refer to their names
    frames.reserve(stack.size());
    std::vector<runtime_call> calls;
    for (const code_address& at : stack) {
        const std::string_view module =
            at.module < info.modules.size() ? info.modules[at.module].path : std::string_view{};
        for (const symbol_frame& f : frames.emplace_back(names(at))) {
            calls.push_back({module, f.function});
        }
    }
    const std::uint64_t size = t.live_bytes / t.live;
    return runtime_rule_of(calls, size, size);
}

} // namespace

void leave_out_runtime(const trace_info& info, const address_names& names, stack_tally& tally) {
    struct kept_blocks {
        std::vector<std::uint32_t> stacks;
        std::uint64_t count = 0;
    };
    std::map<const runtime_rule*, kept_blocks> kept;
    for (std::uint32_t i = 0; i != tally.stacks().size() && i < info.stacks.size(); ++i) {
        const stack_totals& t = tally.stacks()[i];
        if (t.live == 0) {
            continue;
        }
        if (const runtime_rule* const rule = rule_of(info, info.stacks[i], names, t)) {
            kept[rule].stacks.push_back(i);
            kept[rule].count += t.live;
        }
    }
    const std::uint64_t processes = std::max<std::uint64_t>(info.processes.size(), 1);
    for (const auto& [rule, blocks] : kept) {
        if (blocks.count <= rule->most * processes) { // more are the program's own doing
            for (const std::uint32_t stack : blocks.stacks) {
                tally.leave_out_live(stack);
            }
        }
    }
}

} // namespace linn::tool
