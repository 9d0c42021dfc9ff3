// SPDX-License-Identifier: Apache-2.0
#include "given_trace.hpp"

#include "../profile/trace_view.hpp"
#include "../symbols/elf_file.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linn::tool {

void symbol_source::add() {
    add_words(*app_, "--debug-dir", folders_, "FOLDER",
              "also look here for debug information, before /usr/lib/debug; may be repeated")
        ->check(existing_folder());
    app_->add_flag("--debuginfod", use_debuginfod_, "fetch missing debug information from DEBUGINFOD_URLS");
}

symbolizer& symbol_source::open() {
    symbol_options where;
    where.debug_folders.insert(where.debug_folders.begin(), folders_.begin(), folders_.end());
    where.use_debuginfod = use_debuginfod_;
    symbols_ = std::make_unique<symbolizer>(where);
    return *symbols_;
}

naming symbol_source::names() {
    return naming_by(*symbols_);
}

naming naming_by(symbolizer& symbols) {
    naming names;
    names.name = [&](const allocation_site& site) { return symbols.name(site); };
    names.about = [&](const std::string& module, const std::string& build_id) {
        return symbols.about(module, build_id);
    };
    return names;
}

namespace {

std::string build_id_of(const std::filesystem::path& file) {
    const auto elf = elf_file::open(file.string());
    return elf == nullptr ? std::string{} : elf->build_id();
}

} // namespace

std::string why_other_program(const std::string& trace, const trace_info& info,
                              const std::filesystem::path& file, const std::vector<std::string>& words) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    const std::string id = build_id_of(real);
    if (!id.empty() && std::ranges::find(info.modules, id, &trace_module::build_id) != info.modules.end()) {
        return {};
    }
    const std::set<std::string> names{file.filename().string(), real.filename().string()};
    std::set<std::string> recorded;
    for (const trace_process& p : info.processes) {
        const std::string name = program_name(p.executable);
        const auto module = std::ranges::find(info.modules, p.executable, &trace_module::path);
        if (names.contains(name) && module != info.modules.end() && !module->build_id.empty()) {
            return fmt::format("{} was recorded from another build of {} (build id {} then, {} now): record "
                               "it again with linn record",
                               trace, name, module->build_id, id.empty() ? "none" : id);
        }
        recorded.insert(name);
    }
    if (!info.command.empty()) {
        recorded.insert(program_name(info.command.front()));
    }
    const auto is_recorded = [&](const std::string& name) { return recorded.contains(name); };
    const bool is_named =
        std::ranges::any_of(names, is_recorded) || std::ranges::any_of(words, [&](const std::string& word) {
            return !word.empty() && is_recorded(program_name(word));
        });
    return is_named || recorded.empty()
               ? std::string{}
               : fmt::format(
                     "{} is a recording of {}, not of {}: record the program that runs, with linn record",
                     trace, program_name(recorded_program(info)), file.filename().string());
}

} // namespace linn::tool
