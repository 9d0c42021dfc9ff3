// SPDX-License-Identifier: Apache-2.0
#include "symbolizer.hpp"

#include "../measure/words.hpp"
#include "call_chain.hpp"
#include "code_module.hpp"
#include "cxx_name.hpp"

#include <dwarf.h>

#include <algorithm>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::uint64_t most_overhead = 128; ///< of an allocation function: a header, guards, a rounded size

/// Whether a class may be an aggregate, whose braces list its members: it declares neither constructors nor virtual functions.
bool may_be_aggregate(Dwarf_Die type) {
    const char* const name = ::dwarf_diename(&type);
    const std::string_view whole = name == nullptr ? "" : name;
    const std::string_view plain = whole.substr(0, whole.find('<'));
    return !any_child(type, [&](Dwarf_Die& member) {
        const char* const its_name = ::dwarf_diename(&member);
        return ::dwarf_tag(&member) == DW_TAG_subprogram && ::dwarf_hasattr(&member, DW_AT_artificial) == 0 &&
               (::dwarf_hasattr(&member, DW_AT_virtuality) != 0 ||
                (its_name != nullptr && its_name == plain));
    });
}

named_type content_of_rtti(const std::string& mangled) {
    const std::string type = demangle_type(mangled);
    named_type found = content_of(type);
    if (type.starts_with("std::thread::_State_impl<")) {
        found.allocated = found.type;
        found.type = "thread state";
        found.container = "std::thread";
    }
    return found;
}

/// The rules of docs/design/types.md, applied to one site in their order. Each returns whether it named the type.
class type_ladder {
public:
    type_ladder(const allocation_site& site, const call_chain& chain, source_types& sources)
        : site_(site),
          chain_(chain),
          sources_(sources),
          run_(find_allocator_run(chain, site.is_operator_new)),
          is_new_(site.is_operator_new || run_.is_new),
          is_array_new_(run_.is_new ? run_.is_array_new : site.is_array_new) {}

    named_type result() {
        const bool found = by_allocator() || by_headers() || by_maker() || by_code() || by_symbol() ||
                           by_rtti() || by_source();
        if (!found) {
            by_place();
        }
        if (const std::size_t user = place_of(chain_, run_); user < chain_.size()) {
            named_.place = shown_frame(*chain_[user]);
        }
        name_owner(chain_, run_, named_);
        declare();
        return std::move(named_);
    }

private:
    std::uint64_t bytes() const noexcept { return site_.sizes.empty() ? 0 : site_.sizes.front(); }

    bool definition_of(const std::string& type, Dwarf_Die& found) const {
        for (std::size_t i = run_.end; i < chain_.size(); ++i) {
            const known_frame& one = *chain_[i];
            if (one.has_die() && one.module->debug() != nullptr &&
                one.module->debug()->scopes_of_origin(one.die).definition(type, found)) {
                return true;
            }
            if (!one.shown.is_inlined) {
                break;
            }
        }
        return false;
    }

    void declare() {
        Dwarf_Die type;
        if (named_.rule == type_rule::none || !definition_of(named_.type, type)) {
            return;
        }
        Dwarf_Die unit;
        int line = 0;
        const int tag = ::dwarf_tag(&type);
        named_.declared.is_closed = tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
                                    any_child(type, [](Dwarf_Die& member) {
                                        const char* const name = ::dwarf_diename(&member);
                                        return name != nullptr && name == std::string_view{"operator new"};
                                    });
        if (tag == DW_TAG_typedef || ::dwarf_decl_line(&type, &line) != 0 ||
            ::dwarf_diecu(&type, &unit, nullptr, nullptr) == nullptr) {
            return;
        }
        named_.declared.file = with_folder(::dwarf_decl_file(&type), unit);
        named_.declared.line = static_cast<unsigned>(line);
        named_.declared.is_c = is_c_language(::dwarf_srclang(&unit));
        named_.declared.is_aggregate = may_be_aggregate(type);
    }

    void take(named_type found, type_rule rule) {
        found.rule = rule;
        named_ = std::move(found);
    }

    std::optional<std::uint64_t> size_of(std::size_t frame, const std::string& type) const {
        const known_frame& at = *chain_[frame];
        return at.has_die() && at.module->debug() != nullptr
                   ? at.module->debug()->scopes_of_origin(at.die).size_of(type)
                   : std::nullopt;
    }

    /// Whether the code behind the run called the allocator itself.
    bool is_direct() const noexcept { return run_.begin == 0 && run_.end < chain_.size(); }

    behind_call code_behind() const { return behind_call(*chain_[run_.end]); }

    wanted_bytes wanted() const noexcept { return {bytes(), is_array_new_ || !is_new_}; }

    bool by_allocator() {
        if (!run_.arena.empty()) {
            named_type type;
            type.type = "std::byte";
            type.container = run_.arena;
            type.is_array = true;
            type.type_bytes = 1;
            take(std::move(type), type_rule::allocator);
            return true;
        }
        bool is_users = false;
        for (std::size_t i = run_.begin; i < run_.end; ++i) {
            is_users = is_users || !chain_[i]->is_system;
        }
        // The outermost first: functions of equal code are one after linking, and the innermost may have another's name.
        for (std::size_t i = run_.named.size(); i-- > 0;) {
            const std::size_t frame = run_.named[i];
            const known_frame& function = *chain_[frame];
            if (is_operator_new(function.scopes)) {
                continue; // a class's own makes its derived classes too
            }
            const std::string element = function.element;
            named_type type = content_of(element);
            const std::string readable = readable_type(element);
            const std::optional<std::uint64_t> size = size_of(frame, readable);
            const bool fits = !size || bytes() == 0 || bytes() % *size == 0;
            // An allocator of the user's own may ask for more than the objects: a header, a rounded size.
            if (!fits && !(is_users && i + 1 == run_.named.size())) {
                continue;
            }
            type.type_bytes = size.value_or(0);
            type.is_array = type.is_array || (size && bytes() / *size > 1 && fits);
            name_container(chain_, run_.end, type);
            take(std::move(type), type_rule::allocator);
            return true;
        }
        return false;
    }

    bool by_headers() {
        // Without types (-g1), functions over a local type or one of an unnamed namespace have no scope: a bare "allocate".
        // The header says the container, and what is constructed behind the call the element.
        const bool is_bare = run_.named.empty() && run_.end > run_.begin &&
                             chain_[run_.end - 1]->name == "allocate" && chain_[run_.end - 1]->is_system;
        if (!is_bare) {
            return false;
        }
        const known_frame& call = *chain_[run_.is_own ? run_.end - 1 : run_.begin];
        const std::string element = behind_call(call).constructed_element();
        named_type type = content_of_headers(chain_, run_.end, element);
        if (type.type.empty()) {
            return false;
        }
        take(std::move(type), type_rule::allocator);
        return true;
    }

    bool by_maker() {
        for (std::size_t i = run_.end; i < chain_.size() && is_standard_code(*chain_[i]); ++i) {
            const known_frame& frame = *chain_[i];
            if (frame.scopes.empty()) {
                continue;
            }
            const name_part& function = frame.scopes.back();
            const std::string first = function.arguments.empty() ? std::string() : function.arguments.front();
            const std::string owner =
                frame.scopes.size() > 1 ? frame.scopes[frame.scopes.size() - 2].id : std::string();
            named_type type;
            std::string object;
            if (function.id == "make_unique" || function.id == "make_unique_for_overwrite") {
                object = first;
                type.is_array = object.ends_with("[]");
                type.container = "std::unique_ptr<" + readable_type(object) + ">";
                if (type.is_array) {
                    object.resize(object.size() - 2);
                }
            } else if (function.id == "_M_create" && (owner == "_Base_manager" || frame.scopes.size() == 1)) {
                object = std::string(without_qualifiers(first));
                type.container = "std::function";
            } else if (owner == "_Manager_external") {
                const auto& arguments = frame.scopes[frame.scopes.size() - 2].arguments;
                object = arguments.empty() ? std::string() : arguments.front();
                type.container = "std::any";
            } else if (function.id == "__shared_count" && first.ends_with("*")) {
                type.type = "control block of " + readable_type(first.substr(0, first.size() - 1));
                type.allocated = "std::_Sp_counted_ptr<" + readable_type(first) + ">";
                type.container = "std::shared_ptr<" + readable_type(first.substr(0, first.size() - 1)) + ">";
            } else if (owner == "thread" && function.id == "thread") {
                type = site_.rtti.empty() ? named_type() : content_of_rtti(site_.rtti);
                type.type = "thread state";
                type.container = "std::thread";
            }
            if (type.type.empty() && object.empty()) {
                continue;
            }
            if (type.type.empty()) {
                type.type = readable_type(object);
            }
            const std::optional<std::uint64_t> size = size_of(i, type.type);
            const wanted_bytes asked{bytes(), type.is_array, run_.is_own ? most_overhead : 0};
            if (size && bytes() != 0 && !asked.fits(*size)) {
                continue;
            }
            type.type_bytes = size.value_or(0);
            if (type.container == "std::function" || type.container == "std::shared_ptr") {
                name_container(chain_, i, type);
            }
            take(std::move(type), type_rule::maker);
            return true;
        }
        return false;
    }

    bool by_code() {
        wanted_bytes exact = wanted();
        if (!run_.is_own || !is_direct()) {
            return by_code(exact);
        }
        // The allocation function may have asked for more. What the line of the call itself makes comes first then: the object of
        // a neighbouring line can be as large as this one with its header.
        wanted_bytes on_line = exact;
        on_line.line = chain_[run_.end]->shown.line;
        wanted_bytes larger = on_line;
        larger.most_extra = most_overhead;
        return (on_line.line != 0 && (by_code(on_line) || by_code(larger))) || by_code(exact);
    }

    bool by_code(const wanted_bytes& wanted) {
        if (!is_direct() || bytes() == 0) {
            return false;
        }
        behind_call code = code_behind();
        nearby_type found = code.pointer(wanted);
        type_rule rule = type_rule::pointer;
        // Malloc calls no constructor. A pointer to a base says less than a constructor of the same size.
        if (is_new_ && !is_array_new_ && (found.type.empty() || found.is_polymorphic)) {
            if (nearby_type constructed = code.constructor(wanted); !constructed.type.empty()) {
                found = std::move(constructed);
                rule = type_rule::constructor;
            }
        }
        if (found.type.empty()) {
            found = code.pointer(wanted, true);
        }
        // What GCC calls a coroutine's frame is no class that could be changed.
        if (found.type.empty() || found.type.ends_with(".Frame")) {
            return false;
        }
        if (found.is_polymorphic && take_rtti(found.type)) {
            return true;
        }
        named_type type = content_of(found.type);
        type.type_bytes = found.bytes;
        type.is_array = wanted.are_several(found.bytes);
        name_container(chain_, run_.end, type);
        take(std::move(type), rule);
        return true;
    }

    bool take_rtti(const std::string& instead_of) {
        // What stands in a block that is not yet written may be of its former life, or no name at all.
        if (site_.rtti.empty() || demangle_type(site_.rtti) == site_.rtti) {
            return false;
        }
        named_type type = content_of_rtti(site_.rtti);
        const std::string whole = type.allocated.empty() ? type.type : type.allocated;
        if (whole == instead_of) {
            return false;
        }
        const std::optional<std::uint64_t> size =
            run_.end < chain_.size() ? size_of(run_.end, whole) : std::optional<std::uint64_t>();
        if (size && bytes() != 0 && bytes() % *size != 0) {
            return false;
        }
        type.type_bytes = size.value_or(0);
        type.is_array = is_array_new_;
        if (type.container != "std::thread") {
            name_container(chain_, run_.end, type);
        }
        take(std::move(type), type_rule::rtti);
        return true;
    }

    bool by_symbol() {
        for (std::size_t i = run_.is_own ? run_.end : run_.begin;
             i < chain_.size() && is_standard_code(*chain_[i]); ++i) {
            named_type type = content_of_function(*chain_[i]);
            if (type.type.empty()) {
                continue;
            }
            take(std::move(type), type_rule::symbol);
            return true;
        }
        return false;
    }

    bool by_rtti() { return take_rtti({}); }

    bool by_source() {
        if (!is_direct() || chain_[run_.end]->is_system) {
            return false;
        }
        const known_frame& frame = *chain_[run_.end];
        const source_type found = sources_.type_at(frame.shown.file, frame.shown.line, frame.shown.column);
        if (found.type.empty() || found.type == "auto" || found.type == "decltype" || found.type == "void") {
            return false;
        }
        // The name is as the user wrote it there: it may be that of an enclosing namespace, class or function.
        std::string type = readable_type(found.type);
        const std::string pointee = type.substr(0, type.find_last_not_of('*') + 1);
        std::optional<std::uint64_t> size;
        std::vector<name_part> scopes = frame.scopes;
        for (; !scopes.empty() && !size; scopes.pop_back()) {
            const std::string prefix =
                scopes.size() > 1 ? readable_name({scopes.begin(), scopes.end() - 1}) + "::" : "";
            size = size_of(run_.end, prefix + pointee);
            if (size) {
                size = type == pointee ? size : size_of(run_.end, prefix + type);
                type = prefix + type;
            }
        }
        // A template's parameter is not a type's name.
        if (!size && type.size() <= 2) {
            return false;
        }
        const wanted_bytes object{bytes(), found.is_array || !is_new_, run_.is_own ? most_overhead : 0};
        if (size && bytes() != 0 && !object.fits(*size)) {
            return false;
        }
        named_type out = content_of(type);
        out.type_bytes = size.value_or(0);
        out.is_array = found.is_array || (size && object.are_several(*size));
        take(std::move(out), type_rule::source);
        return true;
    }

    void by_place() {
        named_type out;
        out.blocks = describe_blocks(chain_, run_.is_own ? run_.end : 0, site_.sizes);
        out.type = out.blocks.text();
        take(std::move(out), type_rule::none);
    }

    const allocation_site& site_;
    const call_chain& chain_;
    source_types& sources_;
    allocator_run run_;
    bool is_new_;
    bool is_array_new_;
    named_type named_;
};

} // namespace

symbolizer::symbolizer(symbol_options options) : options_(std::move(options)) {
    options_.debug_folders.emplace_back("/usr/lib/debug");
}

symbolizer::~symbolizer() = default;

code_module& symbolizer::module_of(const std::string& path, const std::string& build_id) {
    std::unique_ptr<code_module>& place = modules_[path + '\n' + build_id];
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
    const code_site* last = nullptr;
    code_module* its_module = nullptr;
    for (const code_site& at : site.stack) {
        if (last == nullptr || at.module != last->module || at.build_id != last->build_id) {
            its_module = &module_of(at.module, at.build_id);
        }
        last = &at;
        for (const known_frame& frame : its_module->at(at.address)) {
            chain.push_back(&frame);
        }
    }
    named_type found = type_ladder(site, chain, sources_).result();
    found.frames.reserve(chain.size());
    for (const known_frame* frame : chain) {
        found.frames.push_back(shown_frame(*frame));
    }
    const symbol_frame& place = found.place;
    if (place.function.empty() && place.file.empty() && !place.is_foreign && !chain.empty()) {
        found.place = found.frames.front();
    }
    return found;
}

} // namespace linn::tool
