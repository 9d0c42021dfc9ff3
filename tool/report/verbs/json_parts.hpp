// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/machine.hpp"
#include "../../symbols/symbol_frame.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace linn::tool {

/// The text, or null for none.
nlohmann::ordered_json text_or_null(const std::string& text);

/// The machine as most schemas have it.
nlohmann::ordered_json machine_json(const machine_info& m);

/// A place in the source: what is not known of it is null.
nlohmann::ordered_json frame_json(const symbol_frame& frame);

} // namespace linn::tool
