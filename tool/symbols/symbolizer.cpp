// SPDX-License-Identifier: Apache-2.0
#include "symbolizer.hpp"

#include "symbolizer_state.hpp"

namespace linn::tool {

symbolizer::symbolizer(symbol_options options) : state_(std::make_unique<state>(std::move(options))) {}

symbolizer::~symbolizer() = default;

const std::vector<symbol_frame>& symbolizer::frames(const code_site& site) {
    return state_->module_of(site.module, site.build_id).at(site.address).shown;
}

module_symbols symbolizer::about(const std::string& module, const std::string& build_id) {
    return state_->module_of(module, build_id).about();
}

} // namespace linn::tool
