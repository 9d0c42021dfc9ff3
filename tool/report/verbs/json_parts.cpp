// SPDX-License-Identifier: Apache-2.0
#include "json_parts.hpp"

namespace linn::tool {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
    return text.empty() ? ordered_json{} : ordered_json(text);
}

ordered_json machine_json(const machine_info& m) {
    return {{"cpu", m.cpu_model},
            {"cpus", m.cpus},
            {"kernel", m.kernel},
            {"transparent_huge_pages", m.huge_pages},
            {"environment", m.environment}};
}

ordered_json frame_json(const symbol_frame& f) {
    return {{"function", text_or_null(f.function)},
            {"file", text_or_null(f.file)},
            {"line", f.line == 0 ? ordered_json{} : ordered_json(f.line)},
            {"column", f.column == 0 ? ordered_json{} : ordered_json(f.column)},
            {"library", text_or_null(f.library)}};
}

} // namespace linn::tool
