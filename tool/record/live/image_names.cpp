// SPDX-License-Identifier: Apache-2.0
#include "image_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::live {

void image_names::add(const wire::stack_record& record) {
    const auto [place, is_new] = stacks_.try_emplace(record.id);
    if (is_new) {
        place->second.assign(record.frames.begin(), record.frames.end());
    }
}

void image_names::add(const wire::module_record& record) {
    const auto is_same = [&](const module& m) { return m.ticks == record.ticks && m.begin == record.begin; };
    if (std::any_of(modules_.begin(), modules_.end(), is_same)) {
        return;
    }
    module& m = modules_.emplace_back();
    m.bias = record.bias;
    m.begin = record.begin;
    m.end = record.end;
    m.ticks = record.ticks;
    m.path = record.path;
    for (const std::byte b : record.build_id) {
        m.build_id += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    }
}

void image_names::add_type(std::uint32_t stack, std::string_view name) {
    types_.try_emplace(stack, name);
}

/// The one that was loaded last.
const image_names::module* image_names::module_at(std::uint64_t address) const {
    const module* found = nullptr;
    for (const image_names* at = this; at != nullptr; at = at->parent_.get()) {
        for (const module& m : at->modules_) {
            if (address >= m.begin && address < m.end && (found == nullptr || m.ticks > found->ticks)) {
                found = &m;
            }
        }
    }
    return found;
}

std::optional<std::vector<place_frame>> image_names::frames(std::uint32_t stack) const {
    for (const image_names* at = this; at != nullptr; at = at->parent_.get()) {
        const auto known = at->stacks_.find(stack);
        if (known == at->stacks_.end()) {
            continue;
        }
        std::vector<place_frame> frames;
        for (const std::uint64_t address : known->second) {
            // A call may be the last thing in a module.
            const module* const m = module_at(address - 1);
            frames.push_back(m == nullptr ? place_frame{{}, {}, address}
                                          : place_frame{m->path, m->build_id, address - m->bias});
        }
        return frames;
    }
    return std::nullopt;
}

std::string image_names::type_of(std::uint32_t stack) const {
    for (const image_names* at = this; at != nullptr; at = at->parent_.get()) {
        if (const auto known = at->types_.find(stack); known != at->types_.end()) {
            return known->second;
        }
    }
    return {};
}

} // namespace linn::tool::live
