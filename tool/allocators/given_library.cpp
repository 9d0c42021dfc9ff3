// SPDX-License-Identifier: Apache-2.0
#include "given_library.hpp"

#include "../measure/suggest.hpp"
#include "finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace linn::tool {
namespace {

std::string cannot_use(const std::string& name, const std::string& reason) {
    return fmt::format("--allocator {}: {}; give the path of a shared library that provides malloc and free",
                       name, reason);
}

} // namespace

std::string take_library(const std::string& text, const std::vector<std::string>& reserved,
                         user_allocators& list) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
        return fmt::format("--allocator must be NAME=PATH, not '{}'", text);
    }
    const std::string name = text.substr(0, sign);
    if (name.find_first_of(", \t\n") != std::string::npos) {
        return fmt::format("--allocator: a name has no spaces and no commas, not '{}'", name);
    }
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
        return fmt::format("--allocator cannot replace '{}'; give the library another name", name);
    }
    if (std::any_of(list.begin(), list.end(), [&](const auto& given) { return given.first == name; })) {
        return fmt::format("--allocator names two libraries '{}'; give one of them another name", name);
    }
    list.emplace_back(name, text.substr(sign + 1));
    return {};
}

std::string wrong_library(const user_allocators& given) {
    for (const auto& [name, path] : given) {
        if (const found_library found = check_library(path); !found.problem.empty()) {
            return cannot_use(name, found.problem);
        }
    }
    return {};
}

bool refuses_libraries(const char* command, const user_allocators& given, const interrupt_guard& guard) {
    if (given.empty()) {
        return false;
    }
    std::string problem = wrong_library(given);
    if (problem.empty()) {
        std::vector<std::string> names;
        for (const auto& [name, path] : given) {
            names.push_back(name);
        }
        for (const allocator_entry& entry : take_inventory(given, names, guard, [](const std::string&) {})) {
            if (entry.state == library_state::inert) {
                problem = cannot_use(entry.name, entry.remark);
                break;
            }
        }
    }
    if (problem.empty()) {
        return false;
    }
    fmt::print(stderr, "linn {}: {}\n", command, problem);
    return true;
}

std::string take_names(std::string_view option, const std::vector<std::string>& lists,
                       const std::vector<std::string>& names, std::vector<std::string>& chosen) {
    for (const std::string& text : lists) {
        std::istringstream list{text};
        for (std::string name; std::getline(list, name, ',');) {
            if (name.empty()) {
                continue;
            }
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                return unknown_name("allocator", name, names);
            }
            chosen.push_back(name);
        }
    }
    return !lists.empty() && chosen.empty() ? fmt::format("{} names no allocator", option) : std::string{};
}

} // namespace linn::tool
