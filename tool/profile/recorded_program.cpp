// SPDX-License-Identifier: Apache-2.0
#include "recorded_program.hpp"

#include <algorithm>
#include <string_view>

namespace linn::tool {

std::string program_name(const std::string& path) {
    constexpr std::string_view replaced = " (deleted)";
    std::string name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(replaced)) {
        name.resize(name.size() - replaced.size());
    }
    return name;
}

std::string recorded_program(const trace_info& info) {
    const auto most =
        std::max_element(info.processes.begin(), info.processes.end(),
                         [](const trace_process& a, const trace_process& b) { return a.events < b.events; });
    if (most != info.processes.end() && !most->executable.empty()) {
        return most->executable;
    }
    return info.command.empty() ? std::string{} : info.command.front();
}

} // namespace linn::tool
