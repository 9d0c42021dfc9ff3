// SPDX-License-Identifier: Apache-2.0
#include "collapsed.hpp"

#include <map>
#include <ostream>
#include <string>

namespace linn::tool {
namespace {

/// The name without what separates names and lines.
std::string harmless(std::string name) {
    for (char& c : name) {
        if (c == ';') {
            c = ':';
        } else if (static_cast<unsigned char>(c) < 0x20) {
            c = ' ';
        }
    }
    return name;
}

} // namespace

void write_collapsed(const trace_info& info, const stack_tally& tally, const address_names& names,
                     export_weight weight, std::ostream& out, block_filter filter) {
    std::map<std::string, std::uint64_t> lines;
    for (std::size_t i = 0; i != tally.stacks().size(); ++i) {
        const block_counts counts = tally.stacks()[i].of(filter);
        const std::uint64_t weighs = weight == export_weight::bytes ? counts.bytes : counts.blocks;
        if (weighs == 0) {
            continue;
        }
        std::string line;
        if (i < info.stacks.size()) {
            for (auto at = info.stacks[i].rbegin(); at != info.stacks[i].rend(); ++at) {
                const std::vector<symbol_frame> frames = names(*at);
                for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
                    line += (line.empty() ? "" : ";") + harmless(name_of(*f, *at, info));
                }
            }
        }
        lines[line.empty() ? "[no stack]" : line] += weighs;
    }
    for (const auto& [line, weighs] : lines) {
        out << line << ' ' << weighs << '\n';
    }
}

} // namespace linn::tool
