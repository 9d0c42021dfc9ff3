// SPDX-License-Identifier: Apache-2.0
#include "code_module.hpp"

#include "cxx_name.hpp"

#include <algorithm>

namespace linn::tool {

namespace {

const elf_symbol* find_symbol(const std::vector<elf_symbol>& symbols, std::uint64_t address) {
    const auto behind =
        std::upper_bound(symbols.begin(), symbols.end(), address,
                         [](std::uint64_t wanted, const elf_symbol& one) { return wanted < one.address; });
    if (behind == symbols.begin()) {
        return nullptr;
    }
    auto found = behind - 1;
    while (found != symbols.begin() && (found - 1)->address == found->address) {
        --found;
    }
    // Assembler's functions often have no size: they reach as far as the next one.
    const bool inside = found->bytes == 0 || address - found->address < found->bytes;
    return inside ? &*found : nullptr;
}

} // namespace

code_module::code_module(const std::string& path, const std::string& build_id,
                         const symbol_options& options) {
    open(path, build_id, options);
}

void code_module::open(const std::string& path, const std::string& build_id, const symbol_options& options) {
    file_ = elf_file::open(path);
    if (file_ == nullptr) {
        about_.problem =
            path.starts_with('[') ? std::string() : path + " cannot be read; its functions have no names";
        return;
    }
    const std::string its_id = file_->build_id();
    if (!build_id.empty() && its_id != build_id) {
        about_.problem = path + " was replaced since the recording (build id " + build_id + " then, " +
                         (its_id.empty() ? std::string("none") : its_id) +
                         " now); record again, or put the recorded file back";
        file_.reset();
        return;
    }
    debug_file_ = std::make_unique<debug_file>(*file_, options);
    about_.problem = debug_file_->problem();
    symbols_ = debug_file_->functions();
    if (debug_file_->dwarf() != nullptr) {
        about_.from = debug_file_->path().empty() ? path : debug_file_->path();
        debug_ = std::make_unique<debug_info>(debug_file_->dwarf(), about_.from);
        about_.known = debug_->has_types() ? module_symbols::level::full : module_symbols::level::lines;
        if (!debug_->problem().empty()) {
            about_.problem = debug_->problem();
        }
    } else if (!symbols_.empty()) {
        const bool has_all = file_->has_section(".symtab") || file_->has_section(".gnu_debugdata");
        about_.known = has_all ? module_symbols::level::symbols : module_symbols::level::dynamic_symbols;
    }
}

const elf_symbol* code_module::symbol_at(std::uint64_t address) const {
    return find_symbol(symbols_, address);
}

std::span<const unsigned char> code_module::code(std::uint64_t address, std::size_t bytes) const {
    return file_ == nullptr ? std::span<const unsigned char>() : file_->bytes_at(address, bytes);
}

const known_address& code_module::at(std::uint64_t address) {
    const auto [place, is_new] = addresses_.try_emplace(address);
    known_address& result = place->second;
    if (!is_new) {
        return result;
    }
    if (debug_ != nullptr) {
        for (debug_frame& frame : debug_->frames(address)) {
            symbol_frame shown;
            shown.function = readable_function(*frame.name);
            shown.file = std::move(frame.file);
            shown.line = frame.line;
            shown.column = frame.column;
            shown.is_inlined = frame.is_inlined;
            result.shown.push_back(std::move(shown));
            result.known.push_back({*frame.name, {}, frame.die, frame.die.addr != nullptr});
        }
    }
    if (result.shown.empty()) {
        result.shown.emplace_back();
        result.known.emplace_back();
    }
    // With -g1, functions over local types have no more than a bare name, but their symbols are whole.
    known_frame& outermost = result.known.back();
    const elf_symbol* symbol = outermost.name.find("::") == std::string::npos ? symbol_at(address) : nullptr;
    if (symbol != nullptr && (outermost.name.empty() || symbol->name.starts_with("_Z"))) {
        outermost.name = without_parameters(demangle(symbol->name));
        result.shown.back().function = readable_function(outermost.name);
    }
    for (known_frame& frame : result.known) {
        frame.scopes = scopes_of(frame.name);
    }
    return result;
}

} // namespace linn::tool
