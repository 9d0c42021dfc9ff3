// SPDX-License-Identifier: Apache-2.0
#include "missing_symbols.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

bool is_of_system(const std::string& path) {
    return path.starts_with("/usr/") || path.starts_with("/lib");
}

/// What to do about a module without enough debug information.
std::string symbols_fix(const trace_module& module, const module_symbols& symbols) {
    if (!symbols.problem.empty()) {
        return symbols.problem;
    }
    const char* const lacks = symbols.known == module_symbols::level::none
                                  ? "nothing is known of its code"
                                  : "it has symbols but no debug information";
    return fmt::format("{}; {}", lacks,
                       is_of_system(module.path)
                           ? "install its -dbgsym package, or use --debuginfod"
                           : "compile it with -g1, which changes nothing but the file's size");
}

/// The innermost module that is none of the system's, or the innermost of all.
std::uint32_t users_module(const trace_info& info, const std::vector<code_address>& stack) {
    for (const code_address& at : stack) {
        if (at.module < info.modules.size() && !is_of_system(info.modules[at.module].path)) {
            return at.module;
        }
    }
    return stack.empty() ? code_address::unknown_module : stack.front().module;
}

} // namespace

std::string missing_symbols::text(std::uint64_t count, const char* what) const {
    return fmt::format("{}: {} {} come{} from here, whose types or lines are not known: {}", module, count,
                       what, count == 1 ? "s" : "", reason);
}

bool lacks_names(const named_type& type, const symbol_frame& place) {
    return type.rule == type_rule::none || place.line == 0;
}

std::optional<missing_symbols> why_unnamed(const trace_info& info, std::uint32_t stack, const naming& names) {
    if (!names.about || stack >= info.stacks.size()) {
        return std::nullopt;
    }
    const std::uint32_t index = users_module(info, info.stacks[stack]);
    if (index >= info.modules.size()) {
        return std::nullopt;
    }
    const trace_module& module = info.modules[index];
    const module_symbols symbols = names.about(module.path, module.build_id);
    if (symbols.known >= module_symbols::level::lines && symbols.problem.empty()) {
        return std::nullopt;
    }
    return missing_symbols{module.path, symbols_fix(module, symbols), is_of_system(module.path)};
}

} // namespace linn::tool
