// SPDX-License-Identifier: Apache-2.0
#include "code_module.hpp"

#include "call_chain.hpp"
#include "cxx_name.hpp"

#include <dwarf.h>
#include <elfutils/libdwelf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

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

constexpr std::uint64_t pointer_window = 24;
constexpr std::uint64_t inlined_window = 64;
constexpr std::uint64_t call_window = 96;
constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max();

nearby_type describe(code_module& module, Dwarf_Die type) {
    nearby_type out;
    const int tag = ::dwarf_tag(&type);
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type) {
        return out;
    }
    scope_index& scopes = module.debug()->scopes_of_unit(type);
    out.type = readable_type(scopes.qualified_name(type));
    std::optional<std::uint64_t> bytes = size_of_type(type);
    if (!bytes) {
        bytes = scopes.size_of(out.type);
    }
    out.bytes = bytes.value_or(0);
    out.is_polymorphic = scopes.is_polymorphic(out.type);
    return out;
}

bool pointee_of(Dwarf_Die variable, Dwarf_Die& pointee) {
    Dwarf_Die type;
    return bare_type(variable, type) && ::dwarf_tag(&type) == DW_TAG_pointer_type && bare_type(type, pointee);
}

/// Whether a variable is at one place all the time, as in code that is not optimised.
bool is_in_frame(Dwarf_Die& variable) {
    Dwarf_Attribute attribute;
    return ::dwarf_attr(&variable, DW_AT_location, &attribute) != nullptr &&
           ::dwarf_whatform(&attribute) == DW_FORM_exprloc;
}

/// Where a list of locations begins at or behind `after`; far away: nowhere near, or it is no list.
std::uint64_t begin_of_locations(Dwarf_Die& variable, std::uint64_t after) {
    Dwarf_Attribute attribute;
    if (is_in_frame(variable) || ::dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) {
        return far;
    }
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    Dwarf_Op* expression = nullptr;
    std::size_t length = 0;
    std::uint64_t nearest = far;
    ptrdiff_t offset = 0;
    while ((offset = ::dwarf_getlocations(&attribute, offset, &base, &low, &high, &expression, &length)) >
           0) {
        if (low >= after && low - after <= pointer_window && low < high) {
            nearest = std::min<std::uint64_t>(nearest, low);
        }
    }
    return nearest;
}

/// The nearest address behind a call at which code of the entry begins.
std::uint64_t begin_of_code(Dwarf_Die& die, std::uint64_t after) {
    std::uint64_t nearest = far;
    each_range(die, [&](std::uint64_t low, std::uint64_t) {
        if (low >= after && low - after < inlined_window) {
            nearest = std::min(nearest, low);
        }
    });
    return nearest;
}

/// Whether code of the entry lies around the end of a call, or close behind it.
bool is_near(Dwarf_Die& die, std::uint64_t after) {
    bool is = false;
    each_range(die, [&](std::uint64_t low, std::uint64_t high) {
        is = is || (low < after + inlined_window && high + 1 > after);
    });
    return is;
}

/// Calls `see(entry, holds_call)` for the entries of a function whose code is near: whether all inlined calls that an entry is in
/// hold the call of the allocator.
template <class See>
void each_entry_near(Dwarf_Die parent, std::uint64_t after, bool holds_call, See& see) {
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&parent, &child) == 0; more;
         more = ::dwarf_siblingof(&child, &child) == 0) {
        const int tag = ::dwarf_tag(&child);
        const bool is_call = tag == DW_TAG_inlined_subroutine;
        if (!is_call && tag != DW_TAG_lexical_block) {
            see(child, holds_call);
        } else if (is_near(child, after)) {
            see(child, holds_call);
            each_entry_near(child, after, holds_call && (!is_call || covers(child, after - 1)), see);
        }
    }
}

/// The class that a function constructs; without a type: it is no constructor.
nearby_type constructed(code_module& module, Dwarf_Die function) {
    std::vector<name_part> scopes = scopes_of(module.debug()->name_of(function));
    if (scopes.size() < 2 || scopes.back().id != scopes[scopes.size() - 2].id) {
        return {};
    }
    scopes.pop_back();
    scope_index& types = module.debug()->scopes_of_origin(function);
    nearby_type out;
    out.type = readable_name(scopes);
    out.bytes = types.size_of(out.type).value_or(0);
    out.is_polymorphic = types.is_polymorphic(out.type);
    return out;
}

} // namespace

code_module::code_module(const std::string& path, const std::string& build_id, const symbol_options& options)
    : path_(path),
      options_(options),
      file_(elf_file::open(path)) {
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
    const std::string file = real_path(path);
    Dwfl_Module* const module = open_session(file);
    if (module == nullptr) {
        return;
    }
    Dwarf_Addr bias = 0;
    Dwarf* const dwarf = ::dwfl_module_getdwarf(module, &bias);
    const char* found = nullptr;
    ::dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &found);
    const std::string apart = found != nullptr && found != file ? found : "";
    take_functions(module);
    if (dwarf != nullptr) {
        debug_ = std::make_unique<debug_info>(dwarf, apart.empty() ? path : apart);
        about_.known = debug_->has_types() ? module_symbols::level::full : module_symbols::level::lines;
        about_.problem = debug_->problem();
        return;
    }
    about_.problem = why_no_debug_information(apart);
    if (!symbols_.empty()) {
        about_.known = module_symbols::level::symbols;
    }
}

/// What libdwfl knows the file by; null: it does not read it.
Dwfl_Module* code_module::open_session(const std::string& file) {
    std::error_code error;
    for (const std::string& folder : options_.debug_folders) {
        search_path_ += ":" + fs::absolute(folder, error).string();
    }
    search_path_text_ = search_path_.data();
    callbacks_.find_elf = ::dwfl_build_id_find_elf;
    callbacks_.find_debuginfo = find;
    callbacks_.section_address = ::dwfl_offline_section_address;
    callbacks_.debuginfo_path = &search_path_text_;
    session_.reset(::dwfl_begin(&callbacks_));
    // At address 0: what it says of addresses is what the file says.
    Dwfl_Module* const module =
        session_ == nullptr ? nullptr
                            : ::dwfl_report_elf(session_.get(), file.c_str(), file.c_str(), -1, 0, true);
    if (module != nullptr) {
        ::dwfl_report_end(session_.get(), nullptr, nullptr);
        void** self = nullptr;
        ::dwfl_module_info(module, &self, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
        *self = this;
    }
    return module;
}

int code_module::find(Dwfl_Module* module, void** self, const char* name, Dwarf_Addr base, const char* file,
                      const char* link, GElf_Word checksum, char** found) {
    const unsigned char* id = nullptr;
    GElf_Addr id_address = 0;
    if (link == nullptr && ::dwfl_module_build_id(module, &id, &id_address) <= 0) {
        return -1; // nothing would show that a file belongs to this module
    }
    std::optional<without_servers> alone;
    if (!static_cast<const code_module*>(*self)->options_.use_debuginfod) {
        alone.emplace();
    }
    return ::dwfl_standard_find_debuginfo(module, self, name, base, file, link, checksum, found);
}

/// A sentence, where something can be done about it. `apart`: the file that it lies in; empty: none was found.
std::string code_module::why_no_debug_information(const std::string& apart) const {
    if (file_->has_section(".debug_info") || file_->has_section(".zdebug_info")) {
        return "the debug information of " + file_->path() +
               " cannot be read: it is damaged, or compressed in a way that the installed libdw "
               "does not know (build with -gz=zlib)";
    }
    if (!apart.empty()) {
        return "the debug information in " + apart + " cannot be read";
    }
    if (options_.use_debuginfod) {
        return std::getenv(without_servers::variable) == nullptr
                   ? "debuginfod was asked for, but DEBUGINFOD_URLS names no server"
                   : "no debuginfod server has the build id " + file_->build_id() +
                         ", or libdebuginfod.so.1 is missing: apt install libdebuginfod1";
    }
    GElf_Word checksum = 0;
    const char* const link = ::dwelf_elf_gnu_debuglink(file_->get(), &checksum);
    if (link == nullptr) {
        return {};
    }
    const fs::path folder = fs::path(real_path(file_->path())).parent_path();
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

void code_module::take_functions(Dwfl_Module* module) {
    const int count = ::dwfl_module_getsymtab(module);
    for (int i = 0; i < count; ++i) {
        GElf_Sym symbol{};
        GElf_Addr address = 0;
        GElf_Word section = 0;
        const char* const name =
            ::dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (name == nullptr || name[0] == '\0' || section == SHN_UNDEF || symbol.st_value == 0 ||
            (type != STT_FUNC && type != STT_GNU_IFUNC)) {
            continue;
        }
        // Of several names for one address the longest range, then the first by name: the answer must not depend on chance.
        elf_symbol& best = symbols_[symbol.st_value];
        if (best.name.empty() || symbol.st_size > best.bytes ||
            (symbol.st_size == best.bytes && name < best.name)) {
            best = {symbol.st_value, symbol.st_size, name};
        }
    }
}

const elf_symbol* code_module::symbol_at(std::uint64_t address) const {
    auto found = symbols_.upper_bound(address);
    if (found == symbols_.begin()) {
        return nullptr;
    }
    const elf_symbol& symbol = (--found)->second;
    // Assembler's functions often have no size: they reach as far as the next one.
    return symbol.bytes == 0 || address - symbol.address < symbol.bytes ? &symbol : nullptr;
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
        frame.module = this;
        frame.address = address;
        take_module(frame, path_);
    }
    return frames;
}

/// Calls `see(entry, holds_call)` for the entries near the call. The debug information may not know the function.
template <class See>
void behind_call::each_near(See see) {
    Dwarf_Die function;
    if (module_.debug() != nullptr && module_.debug()->function_at(after_ - 1, function)) {
        each_entry_near(function, after_, true, see);
    }
}

std::string behind_call::callee() {
    std::string name;
    each_near([&](Dwarf_Die& entry, bool) {
        const int tag = ::dwarf_tag(&entry);
        if (tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) {
            return;
        }
        Dwarf_Attribute attribute;
        Dwarf_Addr returns_to = 0;
        if (::dwarf_attr(&entry, DW_AT_call_return_pc, &attribute) == nullptr ||
            ::dwarf_formaddr(&attribute, &returns_to) != 0) {
            ::dwarf_lowpc(&entry, &returns_to);
        }
        Dwarf_Die function;
        const bool has_origin = ::dwarf_attr(&entry, DW_AT_call_origin, &attribute) != nullptr ||
                                ::dwarf_attr(&entry, DW_AT_abstract_origin, &attribute) != nullptr;
        if (returns_to == after_ && has_origin && ::dwarf_formref_die(&attribute, &function) != nullptr) {
            name = module_.debug()->name_of(function);
        }
    });
    return name;
}

nearby_type behind_call::pointer(const wanted_bytes& wanted, bool in_frame) {
    nearby_type best;
    std::uint64_t best_begin = far;
    const unsigned call_line = module_.at(after_ - 1).front().shown.line;
    const auto see = [&](Dwarf_Die& entry, bool holds_call) {
        const int tag = ::dwarf_tag(&entry);
        // What is inlined behind the call has pointers of its own: to anything.
        if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !holds_call) {
            return;
        }
        int line = 0;
        const auto declared =
            ::dwarf_decl_line(&entry, &line) == 0 ? static_cast<unsigned>(line) : ~0U; // of no call
        if (wanted.line != 0 && declared != wanted.line) {
            return;
        }
        const bool begins_here = declared == call_line && is_in_frame(entry);
        const std::uint64_t begin =
            in_frame ? (begins_here ? after_ : far) : begin_of_locations(entry, after_);
        Dwarf_Die pointee;
        if (begin >= best_begin || !pointee_of(entry, pointee)) {
            return;
        }
        nearby_type type = describe(module_, pointee);
        if (type.type.empty() || !wanted.fits(type.bytes)) {
            return;
        }
        best = std::move(type);
        best_begin = begin;
    };
    each_near(see);
    return best;
}

nearby_type behind_call::constructor(const wanted_bytes& wanted) {
    nearby_type best;
    std::uint64_t best_begin = far;
    const auto take = [&](Dwarf_Die function, std::uint64_t begin, unsigned line) {
        if (begin == far || (wanted.line != 0 && line != wanted.line)) {
            return;
        }
        nearby_type type = constructed(module_, function);
        // Where more bytes were asked for, the smaller ones are arguments and members.
        if (wanted.fits(type.bytes) &&
            (type.bytes > best.bytes || (type.bytes == best.bytes && begin < best_begin))) {
            best = std::move(type);
            best_begin = begin;
        }
    };
    each_near([&](Dwarf_Die& entry, bool holds_call) {
        // What is inlined into something else behind the call is a base or a member.
        if (::dwarf_tag(&entry) == DW_TAG_inlined_subroutine && holds_call) {
            take(entry, begin_of_code(entry, after_), number_of(entry, DW_AT_call_line));
        }
    });
    const elf_symbol* const caller = module_.symbol_at(after_ - 1);
    for (std::uint64_t at = after_; at < after_ + call_window && module_.symbol_at(at) == caller; ++at) {
        if (Dwarf_Die function; module_.called_at(at, function)) {
            take(function, at, module_.at(at).front().shown.line);
        }
    }
    return best;
}

std::string behind_call::constructed_element() {
    std::string found;
    std::uint64_t found_begin = far;
    const auto see = [&](Dwarf_Die& entry, bool) {
        if (::dwarf_tag(&entry) != DW_TAG_inlined_subroutine) {
            return;
        }
        const std::uint64_t begin = begin_of_code(entry, after_);
        if (begin >= found_begin) {
            return;
        }
        const std::vector<name_part> scopes = scopes_of(module_.debug()->name_of(entry));
        if (scopes.empty() || scopes.back().arguments.empty() ||
            (scopes.back().id != "construct" && scopes.back().id != "construct_at")) {
            return;
        }
        found = scopes.back().arguments.front();
        found_begin = begin;
    };
    each_near(see);
    return found;
}

} // namespace linn::tool
