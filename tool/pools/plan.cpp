// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include "../measure/companion.hpp"
#include "plan_tables.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <tuple>

namespace linn::tool {
namespace {

std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += fmt::format("\\{}", c);
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string hexadecimal(std::span<const unsigned char> bytes, std::string_view separator) {
    return fmt::format("\"{:02x}\"", fmt::join(bytes.begin(), bytes.end(), separator));
}

void write_note(std::string& out, const std::string& note) {
    if (!note.empty()) {
        out += fmt::format("note = {}\n", toml_string(note));
    }
}

void write_call(std::string& out, const plan_call& call, std::string_view prefix) {
    out +=
        fmt::format("{0}module = {1}\n{0}offset = {2:#x}\n", prefix, toml_string(call.module), call.offset);
    if (!call.code.empty()) {
        out += fmt::format("{}code = {}\n", prefix, hexadecimal(call.code, " "));
    }
}

void write_module(std::string& out, const plan_module& module) {
    out += fmt::format("\n[[module]]\nname = {}\n", toml_string(module.name));
    if (!module.build_id.empty()) {
        out += fmt::format("build_id = {}\n", hexadecimal(module.build_id, ""));
    }
}

void write_pool(std::string& out, const plan_pool& pool) {
    const plan_pool usual;
    out += fmt::format("\n[[pool]]\nname = {}\n", toml_string(pool.name));
    if (pool.align != usual.align) {
        out += fmt::format("align = {}\n", pool.align);
    }
    if (pool.is_padded) {
        out += "padding = true\n";
    }
    if (pool.wants_huge_pages) {
        out += "huge_pages = true\n";
    }
    if (pool.max_waste != usual.max_waste) {
        out += fmt::format("max_waste = {}\n", pool.max_waste);
    }
    if (pool.room != usual.room) {
        out += fmt::format("size = {}\n", pool.room);
    }
    write_note(out, pool.note);
}

void write_site(std::string& out, const plan_site& site) {
    out += fmt::format("\n[[site]]\npool = {}\nsize = {}\n", toml_string(site.pool), site.size);
    if (site.align != plan_site{}.align) {
        out += fmt::format("align = {}\n", site.align);
    }
    if (site.token) {
        out += fmt::format("token = {}\n", *site.token);
    } else {
        write_call(out, site.call, "");
        if (site.caller) {
            out += fmt::format("stack = {}\n", site.stack);
            write_call(out, *site.caller, "caller_");
        }
    }
    write_note(out, site.note);
}

std::vector<unsigned char> bytes_of(const unsigned char* bytes, std::size_t count) {
    return {bytes, bytes + count};
}

plan_call call_of(const planned_call& call) {
    return {std::string{call.module_name}, call.offset, bytes_of(call.code, call.code_bytes)};
}

plan_site site_of(const planned_site& site) {
    plan_site s;
    s.pool = site.pool_name;
    s.size = site.size;
    s.align = site.align;
    s.note = site.note;
    if (site.has_token) {
        s.token = site.token;
        return s;
    }
    s.call = call_of(site.call);
    if (site.is_behind) {
        s.stack = site.stack;
        s.caller = call_of(site.caller);
    }
    return s;
}

pool_plan plan_of(const plan_tables& tables) {
    pool_plan plan;
    plan.program = tables.program;
    plan.note = tables.note;
    plan.max_bytes = tables.max_bytes;
    plan.has_children = tables.has_children;
    for (const planned_module& m : std::span{tables.modules, tables.module_count}) {
        plan.modules.push_back({std::string{m.name}, bytes_of(m.build_id, m.build_id_bytes)});
    }
    for (const planned_pool& p : std::span{tables.pools, tables.pool_count}) {
        plan.pools.push_back({std::string{p.name}, p.align, p.is_padded, p.wants_huge_pages, p.max_waste,
                              p.room, std::string{p.note}});
    }
    for (const planned_site& s : std::span{tables.sites, tables.site_count}) {
        plan.sites.push_back(site_of(s));
    }
    return plan;
}

/// Two sites that the library cannot tell apart: it would serve both from the pool of the first.
std::string find_doubles(const plan_tables& tables) {
    using identity = std::tuple<bool, std::uint64_t, unsigned, std::uint64_t, unsigned, unsigned>;
    std::map<identity, std::uint32_t> lines;
    for (const planned_site& s : std::span{tables.sites, tables.site_count}) {
        const identity id{s.has_token,     s.has_token ? s.token : s.call.offset,
                          s.call.module,   s.caller.offset,
                          s.caller.module, s.size};
        if (const auto [before, is_new] = lines.emplace(id, s.line); !is_new) {
            return fmt::format("{}: the same call and size as the site of line {}", s.line, before->second);
        }
    }
    return {};
}

} // namespace

pool_plan read_plan_file(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        throw unusable_plan(fmt::format("{} is a directory", file.string()));
    }
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (!in.good() && !in.eof()) {
        throw unusable_plan(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    }
    const auto tables = std::make_unique<plan_tables>();
    plan_error what{};
    if (!read_plan(text.data(), text.size(), *tables, what)) {
        throw unusable_plan(fmt::format("{}:{}: {}", file.string(), what.line, what.what));
    }
    if (const std::string doubles = find_doubles(*tables); !doubles.empty()) {
        throw unusable_plan(fmt::format("{}:{}", file.string(), doubles));
    }
    return plan_of(*tables);
}

std::string address_of(const plan_call& call) {
    return fmt::format("{}+{:#x}", call.module, call.offset);
}

std::string plan_text(const pool_plan& plan) {
    std::string out =
        "# A plan for linn pools: which allocations of a program are served from pools.\nlinn_plan = 1\n";
    if (!plan.program.empty()) {
        out += fmt::format("program = {}\n", toml_string(plan.program));
    }
    if (plan.max_bytes != 0) {
        out += fmt::format("max_bytes = {}\n", plan.max_bytes);
    }
    if (!plan.has_children) {
        out += "children = false\n";
    }
    write_note(out, plan.note);
    for (const plan_module& module : plan.modules) {
        write_module(out, module);
    }
    for (const plan_pool& pool : plan.pools) {
        write_pool(out, pool);
    }
    for (const plan_site& site : plan.sites) {
        write_site(out, site);
    }
    return out;
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

} // namespace linn::tool
