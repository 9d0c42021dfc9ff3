// SPDX-License-Identifier: Apache-2.0
#include "allocators_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

/// The text, or null for none.
ordered_json proof_json(const allocator_entry& entry) {
    if (entry.proof.files.empty()) {
        return {};
    }
    ordered_json providers = ordered_json::object();
    for (const auto& [function, file] : entry.proof.files) {
        providers[function] = file;
    }
    return {{"providers", std::move(providers)}, {"preload_mapped", entry.proof.preload_mapped}};
}

} // namespace

std::string allocators_json(const std::vector<allocator_entry>& entries) {
    ordered_json json;
    json["schema"] = "linn.allocators/1";
    json["linn"] = version_text();
    json["allocators"] = ordered_json::array();
    for (const allocator_entry& e : entries) {
        json["allocators"].push_back({{"name", e.name},
                                      {"title", e.title},
                                      {"version", text_or_null(e.version)},
                                      {"state", to_string(e.state)},
                                      {"licence", text_or_null(e.licence)},
                                      {"library", text_or_null(e.library.string())},
                                      {"origin", text_or_null(e.origin)},
                                      {"proven_by", text_or_null(e.proven_by)},
                                      {"remark", text_or_null(e.remark)},
                                      {"environment", e.environment},
                                      {"how_to_get", text_or_null(e.how_to_get)},
                                      {"proof", proof_json(e)}});
    }
    // Paths come from outside and may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
