// SPDX-License-Identifier: Apache-2.0
#include "runtime_blocks.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace linn::tool {
namespace {

using symbol = std::string_view;

constexpr std::array stdio{symbol{"_IO_file_doallocate"}, symbol{"_IO_wfile_doallocate"}};
constexpr std::array iostream{symbol{"std::ios_base::sync_with_stdio"}};
constexpr std::array exception_pool{symbol{"_GLOBAL__sub_I_eh_alloc*"}, symbol{"__gnu_cxx::__freeres"},
                                    symbol{"(anonymous namespace)::pool::pool"}};
constexpr std::array exception_globals{symbol{"__cxa_get_globals"}, symbol{"__cxa_get_globals_fast"}};
constexpr std::array threads{symbol{"_dl_allocate_tls*"},      symbol{"__tls_get_addr*"},
                             symbol{"_dl_resize_dtv"},         symbol{"allocate_dtv"},
                             symbol{"pthread_create*"},        symbol{"__pthread_create*"},
                             symbol{"__pthread_setspecific*"}, symbol{"pthread_setspecific"}};
constexpr std::array exit_handlers{
    symbol{"__new_exitfn"},        symbol{"__internal_atexit"}, symbol{"__cxa_atexit"}, symbol{"atexit"},
    symbol{"__cxa_at_quick_exit"}, symbol{"on_exit"},           symbol{"__on_exit"}};
constexpr std::array locale{symbol{"setlocale"}, symbol{"_nl_*"}, symbol{"std::locale::*"},
                            symbol{"std::__cxx11::locale::*"}};
constexpr std::array catalogues{
    symbol{"textdomain"},       symbol{"__textdomain"},       symbol{"bindtextdomain"},
    symbol{"__bindtextdomain"}, symbol{"set_binding_values"}, symbol{"gettext"},
    symbol{"dgettext"},         symbol{"dcgettext"},          symbol{"__dcgettext"},
    symbol{"__dcigettext"},     symbol{"dcigettext"},         symbol{"ngettext"},
    symbol{"dngettext"},        symbol{"dcngettext"}};
constexpr std::array conversion{symbol{"__gconv*"}, symbol{"gconv_*"}, symbol{"iconv_open"},
                                symbol{"__wcsmbs_*"}};
constexpr std::array time_zone{symbol{"tzset*"},       symbol{"__tz*"},     symbol{"localtime*"},
                               symbol{"__localtime*"}, symbol{"mktime"},    symbol{"__mktime*"},
                               symbol{"timelocal"},    symbol{"strftime*"}, symbol{"__strftime*"}};
constexpr std::array environment{symbol{"setenv"}, symbol{"__setenv"}, symbol{"putenv"},
                                 symbol{"__add_to_environ"}};
constexpr std::array name_service{symbol{"__nss_*"},      symbol{"nss_*"},      symbol{"__res_*"},
                                  symbol{"_nss_*"},       symbol{"getpw*"},     symbol{"getgr*"},
                                  symbol{"__getpw*"},     symbol{"__getgr*"},   symbol{"gethostby*"},
                                  symbol{"__gethostby*"}, symbol{"getservby*"}, symbol{"getprotoby*"}};
constexpr std::array messages{symbol{"strerror*"}, symbol{"__strerror*"}, symbol{"strsignal"}};
constexpr std::array unwinder{symbol{"__register_frame*"}, symbol{"_Unwind_*"}, symbol{"backtrace"}};
constexpr std::array dynamic_linker{symbol{"_dl_*"},         symbol{"dl_open*"},   symbol{"dlerror"},
                                    symbol{"dlopen*"},       symbol{"__dlopen*"},  symbol{"dlsym"},
                                    symbol{"dlvsym"},        symbol{"dlmopen"},    symbol{"__libc_dlopen*"},
                                    symbol{"_dlerror_run*"}, symbol{"dlerror_run"}};

// clang-format off
constexpr std::array runtime_table{
    runtime_rule{"stdio-buffer", "buffers of the standard streams", stdio, {}, 0, ~std::uint64_t{0}, 3},
    runtime_rule{"iostream-buffer", "buffers of std::cin and std::cout without stdio", iostream, {}, 0, ~std::uint64_t{0}, 16},
    // 72704 bytes up to GCC 12, 73728 from GCC 13 on; GLIBCXX_TUNABLES may change it.
    runtime_rule{"exception-pool", "memory for exceptions when there is no other", exception_pool, "libstdc++.so", 72704, 73728, 2},
    runtime_rule{"exception-globals", "exceptions in flight of each thread", exception_globals, {}, 0, ~std::uint64_t{0}, 4096},
    runtime_rule{"thread-storage", "thread-local storage", threads, {}, 0, ~std::uint64_t{0}, 4096},
    runtime_rule{"exit-handlers", "lists of exit handlers", exit_handlers, {}, 0, ~std::uint64_t{0}, 4096},
    runtime_rule{"locale", "the locale", locale, {}, 0, ~std::uint64_t{0}, 512},
    runtime_rule{"messages", "message catalogues", catalogues, {}, 0, ~std::uint64_t{0}, 512},
    runtime_rule{"conversion", "character set conversions", conversion, {}, 0, ~std::uint64_t{0}, 64},
    runtime_rule{"time-zone", "the time zone", time_zone, {}, 0, ~std::uint64_t{0}, 64},
    runtime_rule{"environment", "the environment", environment, {}, 0, ~std::uint64_t{0}, 4096},
    runtime_rule{"name-service", "the name service", name_service, {}, 0, ~std::uint64_t{0}, 256},
    runtime_rule{"error-text", "texts of errors", messages, {}, 0, ~std::uint64_t{0}, 64},
    runtime_rule{"unwinder", "tables of the unwinder", unwinder, {}, 0, ~std::uint64_t{0}, 512},
    runtime_rule{"dynamic-linker", "the dynamic linker's lists of libraries", dynamic_linker, "ld-linux", 0, ~std::uint64_t{0}, 4096},
};
// clang-format on

/// What may call an allocator on its own account.
constexpr std::array runtime_files{symbol{"libc.so"},      symbol{"libc-2."},    symbol{"ld-linux"},
                                   symbol{"libstdc++.so"}, symbol{"libc++.so"},  symbol{"libc++abi.so"},
                                   symbol{"libgcc_s.so"},  symbol{"libpthread"}, symbol{"libdl"},
                                   symbol{"libnss_"},      symbol{"libresolv"},  symbol{"librt"}};

/// Of a program with the libraries inside, this many of the innermost calls are looked at.
constexpr std::size_t innermost = 4;

std::string_view file_name(std::string_view path) {
    return path.substr(path.find_last_of('/') + 1);
}

bool is_runtime(std::string_view module) {
    const std::string_view name = file_name(module);
    return std::ranges::any_of(runtime_files, [&](std::string_view file) { return name.starts_with(file); });
}

/// "__GI___libc_x(int)" as "__libc_x": glibc's own alias of an exported function.
std::string_view plain_name(std::string_view function) {
    constexpr std::string_view alias = "__GI_";
    if (function.starts_with(alias)) {
        function.remove_prefix(alias.size());
    }
    // The parenthesis of "(anonymous namespace)" is none of a parameter list.
    const std::size_t from = function.starts_with('(') ? function.find(')') : 0;
    return function.substr(0, function.find('(', from));
}

bool is_named(std::string_view function, std::span<const std::string_view> wanted) {
    const std::string_view name = plain_name(function);
    return !name.empty() && std::ranges::any_of(wanted, [&](std::string_view w) {
        return w.ends_with('*') ? name.starts_with(w.substr(0, w.size() - 1)) : name == w;
    });
}

bool applies(const runtime_rule& rule, std::span<const runtime_call> calls, std::uint64_t smallest,
             std::uint64_t largest) {
    if (std::ranges::any_of(calls,
                            [&](const runtime_call& c) { return is_named(c.function, rule.functions); })) {
        return true;
    }
    return !rule.module.empty() && file_name(calls.front().module).starts_with(rule.module) &&
           smallest >= rule.smallest && largest <= rule.largest;
}

/// The calls of a site, each with its module: a frame that is not inlined ends an address of the stack.
std::vector<runtime_call> calls_of(const allocation_site& site, const named_type& named) {
    std::vector<runtime_call> calls;
    std::size_t at = 0;
    for (const symbol_frame& frame : named.frames) {
        if (at >= site.stack.size()) {
            break;
        }
        calls.push_back({site.stack[at].module, frame.function});
        at += frame.is_inlined ? 0 : 1;
    }
    return calls;
}

/// Naming a site takes time, and most are none of the runtime's.
bool may_be_runtime(const allocation_site& site, const site_statistics& s) {
    constexpr std::uint64_t least_pool = 72704; // that a program with libstdc++ inside allocates
    return s.live_at_end != 0 && !site.stack.empty() &&
           (is_runtime(site.stack.front().module) || (s.allocations == 1 && s.largest >= least_pool));
}

} // namespace

std::span<const runtime_rule> runtime_rules() {
    return runtime_table;
}

const runtime_rule* runtime_rule_of(std::span<const runtime_call> calls, std::uint64_t smallest,
                                    std::uint64_t largest) {
    if (calls.empty()) {
        return nullptr;
    }
    // From a constructor or a callback of the program on, the block is the program's.
    std::size_t within = 0;
    while (within != calls.size() && is_runtime(calls[within].module)) {
        ++within;
    }
    const auto innermost_calls = calls.first(within != 0 ? within : std::min(innermost, calls.size()));
    const auto found = std::ranges::find_if(runtime_table, [&](const runtime_rule& rule) {
        return applies(rule, innermost_calls, smallest, largest);
    });
    return found == runtime_table.end() ? nullptr : &*found;
}

const runtime_rule* runtime_rule_of(const allocation_site& site, const named_type& named,
                                    std::uint64_t smallest, std::uint64_t largest) {
    return runtime_rule_of(calls_of(site, named), smallest, largest);
}

void find_runtime_blocks(advice& a, const naming& names) {
    struct found_site {
        std::size_t type;
        std::uint32_t site;
    };
    std::map<const runtime_rule*, std::vector<found_site>> found;
    const trace_info& info = a.analysis.info;
    for (std::size_t t = 0; t != a.types.size(); ++t) {
        for (const advised_place& place : a.types[t].places) {
            for (const std::uint32_t index : place.sites) {
                const analysed_site& site = a.analysis.sites[index];
                allocation_site to_name = site_of_stack(info, site.stack);
                if (!may_be_runtime(to_name, site.statistics)) {
                    continue;
                }
                for (const auto& [size, count] : site.statistics.sizes) {
                    to_name.sizes.push_back(size);
                }
                const named_type named = names.name(to_name);
                if (const runtime_rule* const rule = runtime_rule_of(
                        calls_of(to_name, named), site.statistics.smallest, site.statistics.largest);
                    rule != nullptr) {
                    found[rule].push_back({t, index});
                }
            }
        }
    }
    const std::uint64_t processes = std::max<std::uint64_t>(info.processes.size(), 1);
    for (const runtime_rule& rule : runtime_table) {
        runtime_blocks blocks{rule.name, rule.what, 0, 0};
        std::uint64_t seen = 0; // one block of a sample may stand for more than there can be
        for (const found_site& f : found[&rule]) {
            const site_statistics& s = a.analysis.sites[f.site].statistics;
            blocks.count += s.live_at_end;
            blocks.bytes += s.live_bytes_at_end;
            seen += info.sample_bytes == 0 ? s.live_at_end : std::min(s.live_at_end, s.spread.blocks);
        }
        if (seen == 0 || seen > rule.most * processes) {
            continue;
        }
        for (const found_site& f : found[&rule]) {
            const site_statistics& s = a.analysis.sites[f.site].statistics;
            advised_type& type = a.types[f.type];
            type.runtime_live += s.live_at_end;
            type.runtime_live_bytes += s.live_bytes_at_end;
            type.runtime_allocations += s.allocations;
            type.runtime = rule.name;
        }
        a.kept_by_runtime.push_back(std::move(blocks));
    }
    // A type that the program allocates as well is the program's.
    for (advised_type& type : a.types) {
        if (type.runtime_allocations != type.statistics.allocations) {
            type.runtime.clear();
        }
    }
}

} // namespace linn::tool
