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

void write_collapsed(const trace_info& info, std::span<const exported_stack> stacks,
                     const address_names& names, export_weight weight, std::ostream& out) {
    std::map<std::string, std::uint64_t> lines;
    for (const exported_stack& s : stacks) {
        const std::uint64_t weighs = weight == export_weight::bytes ? s.counts.bytes : s.counts.blocks;
        if (weighs == 0) {
            continue;
        }
        std::string line;
        if (s.stack < info.stacks.size()) {
            for (auto at = info.stacks[s.stack].rbegin(); at != info.stacks[s.stack].rend(); ++at) {
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
