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

/// The recorded build of a program of this name; empty: there is none, or it has no build id.
std::string recorded_build(const trace_info& info, const std::string& name) {
    for (const trace_process& p : info.processes) {
        const auto module =
            std::ranges::find_if(info.modules, [&](const trace_module& m) { return m.path == p.executable; });
        if (program_name(p.executable) == name && module != info.modules.end()) {
            return module->build_id;
        }
    }
    return {};
}

} // namespace

std::string why_other_program(const std::string& trace, const trace_info& info,
                              const std::filesystem::path& file, const std::vector<std::string>& words) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    std::set<std::string> recorded;
    for (const trace_process& p : info.processes) {
        recorded.insert(program_name(p.executable));
    }
    if (!info.command.empty()) {
        recorded.insert(program_name(info.command.front()));
    }
    const std::string id = build_id_of(real);
    for (const std::string& name : {file.filename().string(), real.filename().string()}) {
        const std::string then = recorded_build(info, name);
        if (!then.empty() && then != id) {
            return fmt::format("{} was recorded from another build of {} (build id {} then, {} now): record "
                               "it again with linn record",
                               trace, name, then, id.empty() ? "none" : id);
        }
        if (recorded.contains(name)) {
            return {};
        }
    }
    const bool has_its_id = !id.empty() && std::ranges::any_of(info.modules, [&](const trace_module& m) {
        return m.build_id == id;
    });
    const bool is_named = std::ranges::any_of(words, [&](const std::string& word) {
        return !word.empty() && recorded.contains(program_name(word));
    });
    return has_its_id || is_named || recorded.empty()
               ? std::string{}
               : fmt::format(
                     "{} is a recording of {}, not of {}: record the program that runs, with linn record",
                     trace, program_name(recorded_program(info)), file.filename().string());
}

} // namespace linn::tool
