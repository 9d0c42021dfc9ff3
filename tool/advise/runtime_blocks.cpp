// SPDX-License-Identifier: Apache-2.0
#include "../symbols/call_chain.hpp"
#include "findings.hpp"

#include <algorithm>
#include <iterator>

namespace linn::tool {
namespace {

struct runtime_rule {
    const char* name;
    const char* what; ///< as a report calls the blocks
    /// One of these called the allocator, or called what did, all within runtime libraries. Names without arguments; one that
    /// ends in '*' is a prefix.
    std::span<const std::string_view> functions;
    /// Live blocks in a process; more are the program's own doing, and are shown as leaks.
    std::uint64_t most = 0;
    std::string_view module = {}; ///< or: this file called the allocator; compared as a prefix of its name
    std::uint64_t smallest = 0;   ///< block that the module keeps
    std::uint64_t largest = ~std::uint64_t{0};
};

constexpr std::string_view stdio[]{"_IO_file_doallocate", "_IO_wfile_doallocate"};
constexpr std::string_view iostream[]{"std::ios_base::sync_with_stdio"};
constexpr std::string_view exception_pool[]{"_GLOBAL__sub_I_eh_alloc*", "__gnu_cxx::__freeres",
                                            "(anonymous namespace)::pool::pool"};
constexpr std::string_view exception_globals[]{"__cxa_get_globals", "__cxa_get_globals_fast"};
constexpr std::string_view threads[]{"_dl_allocate_tls*",      "__tls_get_addr*",    "_dl_resize_dtv",
                                     "allocate_dtv",           "pthread_create*",    "__pthread_create*",
                                     "__pthread_setspecific*", "pthread_setspecific"};
constexpr std::string_view exit_handlers[]{"__new_exitfn", "__internal_atexit",   "__cxa_atexit",
                                           "atexit",       "__cxa_at_quick_exit", "on_exit",
                                           "__on_exit"};
constexpr std::string_view locale[]{"setlocale", "_nl_*", "std::locale::*", "std::__cxx11::locale::*"};
constexpr std::string_view catalogues[]{
    "textdomain", "__textdomain", "bindtextdomain", "__bindtextdomain", "set_binding_values",
    "gettext",    "dgettext",     "dcgettext",      "__dcgettext",      "__dcigettext",
    "dcigettext", "ngettext",     "dngettext",      "dcngettext"};
constexpr std::string_view conversion[]{"__gconv*", "gconv_*", "iconv_open", "__wcsmbs_*"};
constexpr std::string_view time_zone[]{"tzset*",    "__tz*",     "localtime*", "__localtime*", "mktime",
                                       "__mktime*", "timelocal", "strftime*",  "__strftime*"};
constexpr std::string_view environment[]{"setenv", "__setenv", "putenv", "__add_to_environ"};
constexpr std::string_view name_service[]{"__nss_*",    "nss_*",        "__res_*",    "_nss_*",
                                          "getpw*",     "getgr*",       "__getpw*",   "__getgr*",
                                          "gethostby*", "__gethostby*", "getservby*", "getprotoby*"};
constexpr std::string_view messages[]{"strerror*", "__strerror*", "strsignal"};
constexpr std::string_view unwinder[]{"__register_frame*", "_Unwind_*", "backtrace"};
constexpr std::string_view dynamic_linker[]{"_dl_*",          "dl_open*",      "dlerror",    "dlopen*",
                                            "__dlopen*",      "dlsym",         "dlvsym",     "dlmopen",
                                            "__libc_dlopen*", "_dlerror_run*", "dlerror_run"};

constexpr runtime_rule runtime_table[]{
    {"stdio-buffer", "buffers of the standard streams", stdio, 3},
    {"iostream-buffer", "buffers of std::cin and std::cout without stdio", iostream, 16},
    // 72704 bytes up to GCC 12, 73728 from GCC 13 on; GLIBCXX_TUNABLES may change it.
    {"exception-pool", "memory for exceptions when there is no other", exception_pool, 2, "libstdc++.so",
     72704, 73728},
    {"exception-globals", "exceptions in flight of each thread", exception_globals, 4096},
    {"thread-storage", "thread-local storage", threads, 4096},
    {"exit-handlers", "lists of exit handlers", exit_handlers, 4096},
    {"locale", "the locale", locale, 512},
    {"messages", "message catalogues", catalogues, 512},
    {"conversion", "character set conversions", conversion, 64},
    {"time-zone", "the time zone", time_zone, 64},
    {"environment", "the environment", environment, 4096},
    {"name-service", "the name service", name_service, 256},
    {"error-text", "texts of errors", messages, 64},
    {"unwinder", "tables of the unwinder", unwinder, 512},
    {"dynamic-linker", "the dynamic linker's lists of libraries", dynamic_linker, 4096, "ld-linux"},
};

/// Of a program with the libraries inside, this many of the innermost calls are looked at.
constexpr std::size_t innermost = 4;

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

bool applies(const runtime_rule& rule, std::span<const symbol_frame> calls, std::uint64_t smallest,
             std::uint64_t largest) {
    if (std::ranges::any_of(calls,
                            [&](const symbol_frame& c) { return is_named(c.function, rule.functions); })) {
        return true;
    }
    return !rule.module.empty() && calls.front().module.starts_with(rule.module) &&
           smallest >= rule.smallest && largest <= rule.largest;
}

/// Of a program with the libraries inside, a function of its own may have the name of one of theirs: only their largest block counts.
bool may_be_runtime(const std::vector<symbol_frame>& calls, const site_statistics& s) {
    constexpr std::uint64_t least_pool = 72704; // that a program with libstdc++ inside allocates
    return !calls.empty() &&
           (is_runtime_module(calls.front().module) || (s.allocations == 1 && s.largest >= least_pool));
}

/// Null: the blocks are the program's. @pre there are calls
const runtime_rule* find_rule(std::span<const symbol_frame> calls, std::uint64_t smallest,
                              std::uint64_t largest) {
    // From a constructor or a callback of the program on, the block is the program's.
    std::size_t within = 0;
    while (within != calls.size() && is_runtime_module(calls[within].module)) {
        ++within;
    }
    const auto innermost_calls = calls.first(within != 0 ? within : std::min(innermost, calls.size()));
    const auto found = std::ranges::find_if(runtime_table, [&](const runtime_rule& rule) {
        return applies(rule, innermost_calls, smallest, largest);
    });
    return found == std::end(runtime_table) ? nullptr : &*found;
}

} // namespace

runtime_memory find_runtime_blocks(const trace_analysis& analysis, std::span<const named_type> named) {
    std::map<const runtime_rule*, std::vector<std::uint32_t>> found; // sites
    const trace_info& info = analysis.info;
    for (std::uint32_t i = 0; i != analysis.sites.size(); ++i) {
        const site_statistics& s = analysis.sites[i].statistics;
        const std::vector<symbol_frame>& calls = named[i].frames;
        if (s.live_at_end != 0 && may_be_runtime(calls, s)) {
            found[find_rule(calls, s.smallest, s.largest)].push_back(i);
        }
    }
    const std::uint64_t processes = std::max<std::uint64_t>(info.processes.size(), 1);
    runtime_memory memory;
    for (const runtime_rule& rule : runtime_table) {
        runtime_blocks blocks{rule.name, rule.what, 0, 0};
        std::uint64_t seen = 0; // one block of a sample may stand for more than there can be
        for (const std::uint32_t site : found[&rule]) {
            const site_statistics& s = analysis.sites[site].statistics;
            blocks.count += s.live_at_end;
            blocks.bytes += s.live_bytes_at_end;
            seen += info.sample_bytes == 0 ? s.live_at_end : std::min(s.live_at_end, s.spread.blocks);
        }
        if (seen == 0 || seen > rule.most * processes) {
            continue;
        }
        for (const std::uint32_t site : found[&rule]) {
            memory.rule_of[site] = rule.name;
        }
        memory.kept.push_back(std::move(blocks));
    }
    return memory;
}

} // namespace linn::tool
