// SPDX-License-Identifier: Apache-2.0
#include "given_library.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {

std::string take_library(const std::string& text, const std::vector<std::string>& reserved,
                         user_allocators& list) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
        return fmt::format("--allocator wants NAME=PATH, not '{}'", text);
    const std::string name = text.substr(0, sign);
    if (name.find_first_of(", \t\n") != std::string::npos)
        return fmt::format("--allocator: a name has no spaces and no commas, not '{}'", name);
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
        return fmt::format("--allocator cannot replace '{}'; give the library another name", name);
    if (std::any_of(list.begin(), list.end(), [&](const auto& given) { return given.first == name; }))
        return fmt::format("--allocator names two libraries '{}'; give one of them another name", name);
    list.emplace_back(name, text.substr(sign + 1));
    return {};
}

} // namespace linn::tool
