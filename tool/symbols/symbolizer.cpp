// SPDX-License-Identifier: Apache-2.0
#include "symbolizer.hpp"

#include "../measure/words.hpp"
#include "code_module.hpp"

#include <utility>

namespace linn::tool {

symbolizer::symbolizer(symbol_options options) : options_(std::move(options)) {}

symbolizer::~symbolizer() = default;

code_module& symbolizer::module_of(const std::string& path, const std::string& build_id) {
    std::unique_ptr<code_module>& place = modules_[{path, build_id}];
    if (place == nullptr) {
        place = std::make_unique<code_module>(path, build_id, options_);
    }
    return *place;
}

std::vector<symbol_frame> symbolizer::frames(const code_site& site) {
    std::vector<symbol_frame> frames;
    for (const known_frame& frame : module_of(site.module, site.build_id).at(site.address)) {
        frames.push_back(frame.shown);
    }
    return frames;
}

module_symbols symbolizer::about(const std::string& module, const std::string& build_id) {
    return module_of(module, build_id).about();
}

const char* to_string(type_rule rule) noexcept {
    return word_of(rule,
                   {"allocator", "maker", "pointer", "constructor", "symbol", "rtti", "source", "none"});
}

named_type symbolizer::name(const allocation_site& site) {
    call_chain chain;
    for (const code_site& at : site.stack) {
        code_module& its_module = module_of(at.module, at.build_id);
        const std::vector<known_frame>& here = its_module.at(at.address);
        for (const known_frame& frame : here) {
            chain.push_back({&frame, &its_module, at.module, at.address, is_system_code(frame, at.module),
                             &frame == &here.back()});
        }
    }
    named_type found = name_type(site, chain, sources_);
    found.frames.reserve(chain.size());
    for (const chain_frame& frame : chain) {
        found.frames.push_back(shown_frame(frame));
    }
    return found;
}

} // namespace linn::tool
