// SPDX-License-Identifier: Apache-2.0
#include "unnamed_blocks.hpp"

#include <algorithm>
#include <cstdio>

namespace linn::tool {
namespace {

std::string size_text(const std::vector<std::uint64_t>& sizes) {
    if (sizes.empty()) {
        return "blocks";
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    return blocks_of_sizes(*least, *most);
}

std::string file_of(const chain_frame& frame) {
    return std::string{frame.path.substr(frame.path.rfind('/') + 1)};
}

/// "app+0x5ccca": the return address, which stands behind the call.
std::string address_of(const chain_frame& frame) {
    char offset[24];
    std::snprintf(offset, sizeof offset, "0x%llx", static_cast<unsigned long long>(frame.address + 1));
    return frame.path.empty() ? offset : file_of(frame) + '+' + offset;
}

/// The innermost function that is the user's or of another project's library, with a name or without; otherwise the innermost
/// one that has a name, otherwise the innermost. Code that is in no file, because the program generated it, says nothing.
std::size_t owner_in(const call_chain& chain, std::size_t from) {
    std::size_t found = chain.size();
    for (std::size_t i = from; i < chain.size(); ++i) {
        const chain_frame& frame = chain[i];
        if (!frame.is_physical || frame.path.empty()) {
            continue;
        }
        if (!frame.is_system || !shown_frame(frame).library.empty()) {
            return i;
        }
        if (found == chain.size() && !frame.shown->function.empty()) {
            found = i;
        }
    }
    return found == chain.size() ? std::min(from, chain.size() - 1) : found;
}

/// Functions that everything is called from.
bool is_outermost(const std::string& function) {
    return function == "main" || function == "_start" || function.starts_with("__libc_start");
}

std::string place_of(const call_chain& chain, std::size_t owner) {
    const chain_frame& frame = chain[owner];
    const std::string library = shown_frame(frame).library;
    const std::string inside = library.empty() ? library : " in " + library;
    if (!frame.shown->function.empty()) {
        return "of " + frame.shown->function + inside;
    }
    for (std::size_t i = owner + 1; i != chain.size(); ++i) {
        if (const std::string& caller = chain[i].shown->function;
            chain[i].path == frame.path && !caller.empty() && !is_outermost(caller)) {
            return "under " + caller + inside;
        }
    }
    return frame.path.empty() ? "of generated code" : "of " + file_of(frame);
}

} // namespace

std::string unnamed_blocks::text(std::size_t number) const {
    return number == 0 ? what + ' ' + where : what + " #" + std::to_string(number) + ' ' + where;
}

std::string blocks_of_sizes(std::uint64_t smallest, std::uint64_t largest) {
    const std::string upper = std::to_string(largest) + "-byte blocks";
    return smallest == largest ? upper : std::to_string(smallest) + '-' + upper;
}

unnamed_blocks describe_blocks(const call_chain& chain, std::size_t from,
                               const std::vector<std::uint64_t>& sizes) {
    if (chain.empty()) {
        return {size_text(sizes), "of unknown code", {}};
    }
    const std::size_t owner = owner_in(chain, from);
    return {size_text(sizes), place_of(chain, owner), address_of(chain[owner])};
}

} // namespace linn::tool
