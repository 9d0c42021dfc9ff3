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

const std::vector<symbol_frame>& symbolizer::frames(const code_site& site) {
    return module_of(site.module, site.build_id).at(site.address).shown;
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
        const known_address& here = its_module.at(at.address);
        for (std::size_t i = 0; i < here.shown.size(); ++i) {
            chain.push_back({&here.shown[i], &here.known[i], &its_module, at.module, at.address,
                             is_system_code(here.shown[i], here.known[i], at.module),
                             i + 1 == here.shown.size()});
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
