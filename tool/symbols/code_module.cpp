// SPDX-License-Identifier: Apache-2.0
#include "code_module.hpp"

#include <elfutils/libdwelf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// libdwfl asks the servers whenever this names some. While this lives, it names none.
class without_servers {
public:
    without_servers() {
        if (const char* const urls = std::getenv(variable); urls != nullptr) {
            urls_ = urls;
        }
        ::unsetenv(variable);
    }
    without_servers(const without_servers&) = delete;
    without_servers& operator=(const without_servers&) = delete;
    ~without_servers() {
        if (urls_) {
            ::setenv(variable, urls_->c_str(), 1);
        }
    }

    static constexpr const char* variable = "DEBUGINFOD_URLS";

private:
    std::optional<std::string> urls_;
};

/// The module with links followed: debug files lie where the file does.
std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
}

} // namespace

debug_file::debug_file(const elf_file& module, const symbol_options& options)
    : options_(options),
      search_path_("+:.debug") {
    std::error_code error;
    for (const std::string& folder : options.debug_folders) {
        search_path_ += ":" + fs::absolute(folder, error).string();
    }
    search_path_text_ = search_path_.data();
    callbacks_.find_elf = ::dwfl_build_id_find_elf;
    callbacks_.find_debuginfo = find;
    callbacks_.section_address = ::dwfl_offline_section_address;
    callbacks_.debuginfo_path = &search_path_text_;
    session_ = ::dwfl_begin(&callbacks_);
    const std::string file = real_path(module.path());
    // At address 0: what it says of addresses is what the file says.
    module_ =
        session_ == nullptr ? nullptr : ::dwfl_report_elf(session_, file.c_str(), file.c_str(), -1, 0, true);
    if (module_ == nullptr) {
        return;
    }
    ::dwfl_report_end(session_, nullptr, nullptr);
    void** self = nullptr;
    ::dwfl_module_info(module_, &self, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    *self = this;
    Dwarf_Addr bias = 0;
    dwarf_ = ::dwfl_module_getdwarf(module_, &bias);
    const char* apart = nullptr;
    ::dwfl_module_info(module_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &apart);
    if (apart != nullptr && apart != file) {
        path_ = apart;
    }
    if (dwarf_ == nullptr) {
        problem_ = reason(module);
    }
}

debug_file::~debug_file() {
    ::dwfl_end(session_);
}

int debug_file::find(Dwfl_Module* module, void** self, const char* name, Dwarf_Addr base, const char* file,
                     const char* link, GElf_Word checksum, char** found) {
    const unsigned char* id = nullptr;
    GElf_Addr id_address = 0;
    if (link == nullptr && ::dwfl_module_build_id(module, &id, &id_address) <= 0) {
        return -1; // nothing would show that a file belongs to this module
    }
    std::optional<without_servers> alone;
    if (!static_cast<const debug_file*>(*self)->options_.use_debuginfod) {
        alone.emplace();
    }
    return ::dwfl_standard_find_debuginfo(module, self, name, base, file, link, checksum, found);
}

std::string debug_file::reason(const elf_file& module) const {
    if (module.has_section(".debug_info") || module.has_section(".zdebug_info")) {
        return "the debug information of " + module.path() +
               " cannot be read: it is damaged, or compressed in a way that the installed libdw "
               "does not know (build with -gz=zlib)";
    }
    if (!path_.empty()) {
        return "the debug information in " + path_ + " cannot be read";
    }
    if (options_.use_debuginfod) {
        return std::getenv(without_servers::variable) == nullptr
                   ? "debuginfod was asked for, but DEBUGINFOD_URLS names no server"
                   : "no debuginfod server has the build id " + module.build_id() +
                         ", or libdebuginfod.so.1 is missing: apt install libdebuginfod1";
    }
    GElf_Word checksum = 0;
    const char* const link = ::dwelf_elf_gnu_debuglink(module.get(), &checksum);
    if (link == nullptr) {
        return {};
    }
    const fs::path folder = fs::path(real_path(module.path())).parent_path();
    std::vector<fs::path> folders{folder, folder / ".debug"};
    folders.insert(folders.end(), options_.debug_folders.begin(), options_.debug_folders.end());
    for (const fs::path& one : folders) {
        std::error_code error;
        if (fs::exists(one / link, error)) {
            return "the debug file " + (one / link).string() +
                   " belongs to another build; strip the program and make its debug file again";
        }
    }
    return "the debug file " + std::string(link) +
           " that the module names is missing; put it next to the module, or name its folder with "
           "--debug-dir";
}

std::vector<elf_symbol> debug_file::functions() const {
    std::vector<elf_symbol> found;
    const int count = module_ == nullptr ? 0 : ::dwfl_module_getsymtab(module_);
    for (int i = 0; i < count; ++i) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        GElf_Word section = 0;
        const char* const name =
            ::dwfl_module_getsym_info(module_, i, &symbol, &address, &section, nullptr, nullptr);
        if (name == nullptr || name[0] == '\0' || section == SHN_UNDEF || symbol.st_value == 0) {
            continue;
        }
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (type == STT_FUNC || type == STT_GNU_IFUNC) {
            found.push_back({symbol.st_value, symbol.st_size, name});
        }
    }
    std::sort(found.begin(), found.end(), [](const elf_symbol& left, const elf_symbol& right) {
        // Of several names for one address the longest range, then the first by name: the answer must not depend on chance.
        if (left.address != right.address) {
            return left.address < right.address;
        }
        return left.bytes != right.bytes ? left.bytes > right.bytes : left.name < right.name;
    });
    return found;
}

code_module::code_module(const std::string& path, const std::string& build_id,
                         const symbol_options& options) {
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
    const auto behind =
        std::upper_bound(symbols_.begin(), symbols_.end(), address,
                         [](std::uint64_t wanted, const elf_symbol& one) { return wanted < one.address; });
    if (behind == symbols_.begin()) {
        return nullptr;
    }
    auto found = behind - 1;
    while (found != symbols_.begin() && (found - 1)->address == found->address) {
        --found;
    }
    // Assembler's functions often have no size: they reach as far as the next one.
    const bool inside = found->bytes == 0 || address - found->address < found->bytes;
    return inside ? &*found : nullptr;
}

bool code_module::called_at(std::uint64_t address, Dwarf_Die& function) {
    // No disassembler: a byte 0xe8 whose operand leads to the first byte of a function is a call of it.
    std::int32_t distance = 0;
    constexpr std::size_t call_bytes = 1 + sizeof(distance);
    const auto code = debug_ ? file_->bytes_at(address, call_bytes) : std::span<const unsigned char>();
    if (code.size() < call_bytes || code[0] != 0xe8) {
        return false;
    }
    std::memcpy(&distance, &code[1], sizeof(distance));
    const std::uint64_t target = address + call_bytes + static_cast<std::uint64_t>(std::int64_t{distance});
    const elf_symbol* const symbol = symbol_at(target);
    return symbol != nullptr && symbol->address == target && debug_->function_at(target, function);
}

const std::vector<known_frame>& code_module::at(std::uint64_t address) {
    const auto [place, is_new] = addresses_.try_emplace(address);
    std::vector<known_frame>& frames = place->second;
    if (!is_new) {
        return frames;
    }
    if (debug_ != nullptr) {
        frames = debug_->frames(address);
    }
    if (frames.empty()) {
        frames.emplace_back();
    }
    // With -g1, functions over local types have no more than a bare name, but their symbols are whole.
    std::string& outermost = frames.back().name;
    const elf_symbol* symbol = outermost.find("::") == std::string::npos ? symbol_at(address) : nullptr;
    if (symbol != nullptr && (outermost.empty() || symbol->name.starts_with("_Z"))) {
        outermost = without_parameters(demangle(symbol->name));
    }
    for (known_frame& frame : frames) {
        frame.scopes = scopes_of(frame.name);
        frame.shown.function = readable_name(frame.scopes);
    }
    return frames;
}

} // namespace linn::tool
