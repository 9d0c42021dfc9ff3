// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include "../measure/process.hpp"
#include "../program/elf_file.hpp"
#include "toml_table.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

namespace linn::tool {
namespace {

std::string toml_string(const std::string& text) {
    std::ostringstream out;
    out << toml::toml_formatter{toml::value{text}, toml::format_flags::allow_unicode_strings};
    return out.str();
}

std::string hexadecimal(std::span<const unsigned char> bytes, std::string_view separator) {
    return fmt::format("\"{:02x}\"", fmt::join(bytes.begin(), bytes.end(), separator));
}

/// A line of the plan, where the value is not the usual one.
template <class T>
void write(std::string& out, std::string_view key, const T& value, const T& usual) {
    if (value == usual) {
        return;
    }
    if constexpr (std::is_same_v<T, std::string>) {
        out += fmt::format("{} = {}\n", key, toml_string(value));
    } else {
        out += fmt::format("{} = {}\n", key, value);
    }
}

void write(std::string& out, const plan_call& call, const std::string& prefix) {
    write(out, prefix + "module", call.module, {});
    out += fmt::format("{}offset = {:#x}\n", prefix, call.offset);
    if (!call.code.empty()) {
        out += fmt::format("{}code = {}\n", prefix, hexadecimal(call.code, " "));
    }
}

void write(std::string& out, const plan_module& module) {
    out += fmt::format("\n[[module]]\nname = {}\n", toml_string(module.name));
    if (!module.build_id.empty()) {
        out += fmt::format("build_id = {}\n", hexadecimal(module.build_id, ""));
    }
}

void write(std::string& out, const plan_pool& pool) {
    const plan_pool usual;
    out += fmt::format("\n[[pool]]\nname = {}\n", toml_string(pool.name));
    write(out, "align", pool.align, usual.align);
    write(out, "padding", pool.is_padded, usual.is_padded);
    write(out, "huge_pages", pool.wants_huge_pages, usual.wants_huge_pages);
    write(out, "size", pool.room, usual.room);
    write(out, "note", pool.note, usual.note);
}

void write(std::string& out, const plan_site& site) {
    const plan_site usual;
    out += fmt::format("\n[[site]]\npool = {}\nsize = {}\n", toml_string(site.pool), site.size);
    write(out, "align", site.align, usual.align);
    write(out, site.call, "");
    if (site.caller) {
        out += fmt::format("stack = {}\n", site.stack);
        write(out, *site.caller, "caller_");
    }
    write(out, "note", site.note, usual.note);
}

/// Bytes in hexadecimal, blanks between them.
std::vector<unsigned char> bytes_in(const toml_table& t, std::string_view key, std::size_t least,
                                    std::size_t most) {
    std::vector<unsigned char> bytes;
    bool is_good = true;
    const std::string text = t.text(key);
    for (std::size_t at = 0; at < text.size() && is_good;) {
        if (text[at] == ' ') {
            ++at;
            continue;
        }
        unsigned char byte = 0;
        const char* const end = text.data() + std::min(at + 2, text.size());
        const auto [stop, error] = std::from_chars(text.data() + at, end, byte, 16);
        is_good = error == std::errc{} && stop == text.data() + at + 2;
        bytes.push_back(byte);
        at += 2;
    }
    if (t.has(key) && (!is_good || bytes.size() < least || bytes.size() > most)) {
        t.fail(fmt::format("'{}' must be {} to {} bytes in hexadecimal", key, least, most), key);
    }
    return bytes;
}

unsigned alignment_in(const toml_table& t, unsigned least) {
    const std::uint64_t align = t.number("align", least, 128, 16);
    if ((align & (align - 1)) != 0) {
        t.fail("'align' must be a power of two", "align");
    }
    return static_cast<unsigned>(align);
}

plan_call call_in(const toml_table& t, const std::string& prefix) {
    const std::string offset = prefix + "offset";
    return {t.name(prefix + "module"), t.number(offset, most_code_bytes, largest_call_offset, 0),
            bytes_in(t, prefix + "code", least_code_bytes, most_code_bytes)};
}

plan_pool pool_in(const toml_table& t) {
    t.require({"name"});
    plan_pool pool{.name = t.name("name")};
    pool.align = alignment_in(t, 16);
    pool.is_padded = t.flag("padding", false);
    pool.wants_huge_pages = t.flag("huge_pages", false);
    pool.room = static_cast<unsigned>(t.number("size", 1, largest_planned_size, 0));
    pool.note = t.text("note");
    return pool;
}

plan_site site_in(const toml_table& t) {
    t.require({"pool", "size", "module", "offset"});
    plan_site site{.pool = t.name("pool")};
    site.size = static_cast<unsigned>(t.number("size", 1, largest_planned_size, 0));
    site.align = alignment_in(t, 1);
    site.note = t.text("note");
    const bool has_stack = t.has("stack");
    if (has_stack != t.has("caller_module") || has_stack != t.has("caller_offset") ||
        (!has_stack && t.has("caller_code"))) {
        t.fail("[[site]]: 'stack', 'caller_module' and 'caller_offset' need each other");
    }
    site.call = call_in(t, "");
    if (has_stack) {
        site.stack = static_cast<unsigned>(t.number("stack", 0, largest_stack_offset, 0));
        if (site.stack % 8 != 0) {
            t.fail("'stack' must be a multiple of 8", "stack");
        }
        site.caller = call_in(t, "caller_");
    }
    return site;
}

/// Reads the tables of one kind, and refuses too many.
template <class Entry>
std::vector<Entry> entries_in(const std::vector<toml_table>& tables, std::size_t most, const char* what,
                              Entry (*read)(const toml_table&)) {
    if (tables.size() > most) {
        tables[most].fail(fmt::format("a plan has {} {} at most", most, what));
    }
    std::vector<Entry> list;
    for (const toml_table& t : tables) {
        list.push_back(read(t));
    }
    return list;
}

/// The number of the entry with this name.
template <class Entry>
std::optional<std::size_t> place_of(const std::vector<Entry>& entries, const std::string& name) {
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found == entries.end() ? std::nullopt
                                  : std::optional{static_cast<std::size_t>(found - entries.begin())};
}

template <class Entry>
void refuse_same_names(const std::vector<toml_table>& tables, const std::vector<Entry>& entries,
                       const char* what) {
    for (std::size_t i = 0; i != entries.size(); ++i) {
        if (place_of(entries, entries[i].name) != i) {
            tables[i].fail(fmt::format("two {} are called '{}'", what, entries[i].name));
        }
    }
}

void check_call(const toml_table& t, const pool_plan& plan, const plan_call& call) {
    const std::optional<std::size_t> module = place_of(plan.modules, call.module);
    if (!module) {
        t.fail(fmt::format("unknown module '{}'", call.module));
    }
    if (plan.modules[*module].build_id.empty() && call.code.empty()) {
        t.fail(fmt::format("without a build id each site needs its code: module '{}'", call.module));
    }
}

/// What tables call each other by, and two sites that the library cannot tell apart: it would serve both from the pool of the
/// first.
void check_sites(const std::vector<toml_table>& tables, const pool_plan& plan) {
    using identity = std::tuple<std::string, std::uint64_t, std::string, std::uint64_t, unsigned>;
    std::map<identity, std::uint32_t> lines;
    for (std::size_t i = 0; i != plan.sites.size(); ++i) {
        const plan_site& s = plan.sites[i];
        const toml_table& t = tables[i];
        const std::optional<std::size_t> place = place_of(plan.pools, s.pool);
        if (!place) {
            t.fail(fmt::format("unknown pool '{}'", s.pool));
        }
        const plan_pool& pool = plan.pools[*place];
        if (s.align > (pool.is_padded ? std::max(pool.align, 64u) : pool.align)) {
            t.fail(fmt::format("the site's alignment is larger than that of pool '{}'", pool.name));
        }
        check_call(t, plan, s.call);
        if (s.caller) {
            check_call(t, plan, *s.caller);
        }
        const plan_call caller = s.caller.value_or(plan_call{});
        const identity id{s.call.module, s.call.offset, caller.module, caller.offset, s.size};
        if (const auto [before, is_new] = lines.emplace(id, t.line()); !is_new) {
            t.fail(fmt::format("the same call and size as the site of line {}", before->second));
        }
    }
}

planned_call compiled(const pool_plan& plan, const plan_call& call) {
    planned_call c{};
    c.offset = call.offset;
    c.module = static_cast<std::uint16_t>(place_of(plan.modules, call.module).value());
    c.code_bytes = static_cast<std::uint8_t>(call.code.size());
    std::ranges::copy(call.code, c.code);
    return c;
}

// What a plan says of a file's code.

/// Whether the file maps the address to be executed.
bool is_code(const elf_file& file, std::uint64_t address) {
    return std::ranges::any_of(file.segments(PT_LOAD), [&](const GElf_Phdr& p) {
        return (p.p_flags & PF_X) != 0 && address - p.p_vaddr < p.p_filesz;
    });
}

#if defined(__x86_64__)
constexpr unsigned stack_pointer_register = 7;
#else
constexpr unsigned stack_pointer_register = 31; // of 64-bit Arm
#endif

} // namespace

pool_plan read_plan(std::string_view text) {
    const toml::table document = parse_toml(text);
    const toml_table top{
        document,
        "a plan, before its first table",
        {"linn_plan", "program", "note", "max_bytes", "children", "every_call", "module", "pool", "site"}};
    if (!top.has("linn_plan")) {
        top.fail("not a plan: linn_plan = 1 is missing");
    }
    if (const std::uint64_t version = top.number("linn_plan", 0, INT64_MAX, 0); version != 1) {
        top.fail(fmt::format("this is a plan of version {}; this reader knows version 1", version),
                 "linn_plan");
    }
    const std::vector<toml_table> modules = top.tables("module", {"name", "build_id"});
    const std::vector<toml_table> pools =
        top.tables("pool", {"name", "align", "padding", "huge_pages", "size", "note"});
    const std::vector<toml_table> sites =
        top.tables("site", {"pool", "size", "align", "module", "offset", "code", "stack", "caller_module",
                            "caller_offset", "caller_code", "note"});
    pool_plan plan;
    plan.program = top.text("program");
    plan.note = top.text("note");
    plan.max_bytes = top.number("max_bytes", 0, INT64_MAX, 0);
    plan.has_children = top.flag("children", true);
    plan.serves_every_call = top.flag("every_call", false);
    plan.modules = entries_in<plan_module>(modules, most_planned_modules, "modules", [](const toml_table& t) {
        t.require({"name"});
        return plan_module{t.name("name"), bytes_in(t, "build_id", 1, most_build_id_bytes)};
    });
    plan.pools = entries_in<plan_pool>(pools, most_planned_pools, "pools", pool_in);
    plan.sites = entries_in<plan_site>(sites, most_planned_sites, "sites", site_in);
    refuse_same_names(modules, plan.modules, "modules");
    refuse_same_names(pools, plan.pools, "pools");
    check_sites(sites, plan);
    return plan;
}

pool_plan read_plan_file(const std::filesystem::path& file) {
    const std::string text = text_of_file(file);
    if (is_compiled_plan(text)) {
        throw unusable_input{
            fmt::format("{} is compiled, and of no use here: it is damaged, of another version "
                        "of linn, or there is no program; give the TOML file",
                        file.string())};
    }
    try {
        return read_plan(text);
    } catch (const toml_problem& problem) {
        throw unusable_input(fmt::format("{}:{}: {}", file.string(), problem.line(), problem.what()));
    }
}

std::string compiled_plan(const pool_plan& plan) {
    std::string letters;
    const auto text = [&letters](const std::string& name) {
        letters += name;
        return planned_text{static_cast<std::uint32_t>(letters.size() - name.size()),
                            static_cast<std::uint32_t>(name.size())};
    };
    std::vector<planned_module> modules;
    for (const plan_module& module : plan.modules) {
        planned_module& m = modules.emplace_back();
        m.name = text(module.name);
        m.build_id_bytes = static_cast<std::uint8_t>(module.build_id.size());
        std::ranges::copy(module.build_id, m.build_id);
    }
    std::vector<planned_pool> pools;
    for (const plan_pool& pool : plan.pools) {
        pools.push_back({text(pool.name), static_cast<std::uint16_t>(pool.align),
                         static_cast<std::uint16_t>(pool.room), 0, pool.is_padded, pool.wants_huge_pages});
    }
    std::vector<planned_site> sites;
    for (const plan_site& site : plan.sites) {
        planned_site& s = sites.emplace_back();
        s.pool = static_cast<std::uint8_t>(place_of(plan.pools, site.pool).value());
        s.size = static_cast<std::uint16_t>(site.size);
        s.call = compiled(plan, site.call);
        if (site.caller) {
            s.is_behind = 1;
            s.stack = static_cast<std::uint16_t>(site.stack);
            s.caller = compiled(plan, *site.caller);
        }
        planned_pool& p = pools[s.pool];
        p.object_bytes = std::max({p.object_bytes, p.room, s.size});
    }
    plan_header header;
    header.max_bytes = plan.max_bytes;
    header.has_children = plan.has_children;
    header.serves_every_call = plan.serves_every_call;
    return compiled_bytes(header, sites, modules, pools, letters);
}

std::string address_of(const plan_call& call) {
    return fmt::format("{}+{:#x}", call.module, call.offset);
}

std::string plan_text(const pool_plan& plan) {
    const pool_plan usual;
    std::string out =
        "# A plan for linn pools: which allocations of a program are served from pools.\nlinn_plan = 1\n";
    write(out, "program", plan.program, usual.program);
    write(out, "max_bytes", plan.max_bytes, usual.max_bytes);
    write(out, "children", plan.has_children, usual.has_children);
    write(out, "every_call", plan.serves_every_call, usual.serves_every_call);
    write(out, "note", plan.note, usual.note);
    const auto write_all = [&out](const auto& entries) {
        for (const auto& entry : entries) {
            write(out, entry);
        }
    };
    write_all(plan.modules);
    write_all(plan.pools);
    write_all(plan.sites);
    return out;
}

std::optional<plan_module> plan_module_of(const std::filesystem::path& file) {
    const auto elf = elf_file::open(file.string());
    if (elf == nullptr) {
        return std::nullopt;
    }
    plan_module module{file.filename().string(), {}};
    const std::string id = elf->build_id();
    for (std::size_t i = 0; i + 1 < id.size() && module.build_id.size() != most_build_id_bytes; i += 2) {
        module.build_id.push_back(static_cast<unsigned char>(std::stoul(id.substr(i, 2), nullptr, 16)));
    }
    return module;
}

std::optional<plan_call> plan_call_of(const std::filesystem::path& file, std::uint64_t offset) {
    const auto elf = elf_file::open(file.string());
    if (elf == nullptr || offset < most_code_bytes || !is_code(*elf, offset - 1)) {
        return std::nullopt;
    }
    plan_call call{file.filename().string(), offset, {}};
    std::size_t bytes = most_code_bytes;
    while (bytes > least_code_bytes && !is_code(*elf, offset - bytes)) {
        --bytes;
    }
    const auto code = elf->bytes_at(offset - bytes, bytes);
    if (code.size() != bytes) {
        return std::nullopt;
    }
    call.code.assign(code.begin(), code.end());
    return call;
}

std::optional<unsigned> stack_offset_of(const std::filesystem::path& file, std::uint64_t offset) {
    const auto elf = elf_file::open(file.string());
    Dwarf_CFI* const cfi = elf != nullptr ? ::dwarf_getcfi_elf(elf->get()) : nullptr;
    if (cfi == nullptr) {
        return std::nullopt;
    }
    const std::unique_ptr<Dwarf_CFI, decltype([](Dwarf_CFI* c) { ::dwarf_cfi_end(c); })> ends{cfi};
    Dwarf_Frame* frame = nullptr;
    if (::dwarf_cfi_addrframe(cfi, offset - 1, &frame) != 0) {
        return std::nullopt;
    }
    const std::unique_ptr<Dwarf_Frame, decltype([](Dwarf_Frame* f) { std::free(f); })> owned{frame};
    // The stack pointer and a number, as libdw says what is no expression in the file.
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    if (::dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1 || ops->atom != DW_OP_bregx ||
        ops->number != stack_pointer_register) {
        return std::nullopt;
    }
    const auto cfa = static_cast<std::int64_t>(ops->number2);
    const int return_address = ::dwarf_frame_info(frame, nullptr, nullptr, nullptr);
    Dwarf_Op memory[3];
    if (return_address < 0 || ::dwarf_frame_register(frame, return_address, memory, &ops, &count) != 0 ||
        count != 2 || ops[0].atom != DW_OP_call_frame_cfa || ops[1].atom != DW_OP_plus_uconst) {
        return std::nullopt;
    }
    const std::int64_t stack = cfa + static_cast<std::int64_t>(ops[1].number);
    if (stack < 0 || stack > std::int64_t{largest_stack_offset} || stack % 8 != 0) {
        return std::nullopt;
    }
    return static_cast<unsigned>(stack);
}

std::vector<std::string> pool_variables(const pool_settings& settings) {
    std::vector<std::string> variables;
    const auto add = [&variables](std::string_view name, const std::string& value) {
        variables.push_back(fmt::format("{}={}", name, value));
    };
    add("LINN_PLAN", settings.plan.string());
    add("LINN_POOLS", settings.mode);
    add("LINN_POOLS_STATS", settings.statistics.string());
    add("LINN_POOLS_SIGNAL", settings.signal);
    add("LINN_POOLS_COUNT", settings.counts_hits ? "1" : "0");
    return variables;
}

std::filesystem::path pool_library(bool is_checked) {
    return companion(is_checked ? "liblinn-try-checked.so" : "liblinn-try.so");
}

served_program find_served_program(const std::string& name, bool is_checked) {
    served_program found{reach_program(name), {}};
    if (found.problem.empty()) {
        found.library = preload_companion(pool_library(is_checked).filename().string(), found.problem);
    }
    return found;
}

std::filesystem::path keep_compiled(const std::filesystem::path& plan_file, const pool_plan& plan) {
    const std::string bytes = compiled_plan(plan);
    std::vector<std::filesystem::path> places{std::filesystem::absolute(plan_file).string() + ".compiled"};
    if (const char* const folder = std::getenv("XDG_RUNTIME_DIR"); folder != nullptr && *folder != '\0') {
        places.push_back(std::filesystem::path{folder} /
                         fmt::format("linn-{:016x}.compiled", std::hash<std::string>{}(bytes)));
    }
    std::string problem;
    for (const std::filesystem::path& place : places) {
        if (read_file(place) == bytes) {
            return place;
        }
        const std::string unwritten = write_atomically(place.string(), bytes);
        if (unwritten.empty()) {
            return place;
        }
        if (problem.empty()) {
            problem = unwritten;
        }
    }
    throw unusable_input{problem + "; write the compiled plan elsewhere with --compile FILE, and give that"};
}

std::string become_served(const served_program& program, const std::vector<std::string>& words,
                          const pool_settings& settings) {
    const std::vector<std::string> environment =
        child_environment(preloaded_first(program.library.string()), pool_variables(settings));
    std::fflush(nullptr);
    ::execve(program.file.c_str(), pointers(words).data(), pointers(environment).data());
    return fmt::format("{}: {}", program.file.string(), std::strerror(errno));
}

} // namespace linn::tool
