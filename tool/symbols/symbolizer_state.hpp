// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "code_module.hpp"
#include "source_text.hpp"
#include "symbolizer.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace linn::tool {

/// The modules that were opened so far.
class symbolizer::state {
public:
    explicit state(symbol_options options) : options_(std::move(options)) {}

    code_module& module_of(const std::string& path, const std::string& build_id) {
        std::unique_ptr<code_module>& place = modules_[{path, build_id}];
        if (place == nullptr) {
            place = std::make_unique<code_module>(path, build_id, options_);
        }
        return *place;
    }

    source_text& sources() noexcept { return sources_; }

private:
    source_text sources_;
    symbol_options options_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<code_module>> modules_;
};

} // namespace linn::tool
