// SPDX-License-Identifier: Apache-2.0
// What the C and C++ libraries keep until the end is no leak of the program's. A first-time user was told that
// "the only block of char, 4096 bytes" were not freed: stdout's buffer.
#include "advise/runtime_blocks.hpp"

#include "advise/advice.hpp"
#include "unit.hpp"

namespace linn::tool::runtime_blocks_tests {

const char* const app = "/home/me/app";
const char* const libc = "/lib/x86_64-linux-gnu/libc.so.6";
const char* const libstdcxx = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";
const char* const loader = "/lib64/ld-linux-x86-64.so.2";

std::string rule_of(std::vector<runtime_call> calls, std::uint64_t bytes = 100) {
    const runtime_rule* const rule = runtime_rule_of(calls, bytes, bytes);
    return rule == nullptr ? "" : rule->name;
}

struct made_site {
    std::vector<std::pair<const char*, const char*>> calls; ///< module and function, innermost first
    std::string type;
    std::uint64_t live;
    std::uint64_t bytes;
};

advice advice_of(const std::vector<made_site>& made) {
    trace_analysis a;
    trace_info& info = a.info;
    info.stacks.emplace_back();
    info.ending = "exited with 0";
    info.baseline.cpu_ns = 1e9;
    info.processes.resize(1);
    for (const made_site& m : made) {
        std::vector<code_address> stack;
        for (const auto& [module, function] : m.calls) {
            info.modules.push_back({module, ""});
            stack.push_back({static_cast<std::uint32_t>(info.modules.size() - 1), 0x1000 + a.sites.size()});
        }
        site_statistics s;
        s.allocations = s.live_at_end = s.peak_live = m.live;
        s.bytes = s.live_bytes_at_end = s.peak_live_bytes = m.live * m.bytes;
        s.smallest = s.largest = m.bytes;
        s.sizes = {{m.bytes, m.live}};
        a.sites.push_back({static_cast<std::uint32_t>(info.stacks.size()), allocation_call::malloc, s, 0});
        a.all.merge(s);
        info.stacks.push_back(std::move(stack));
    }
    advise_parts parts;
    parts.names.name = [&](const allocation_site& site) {
        const made_site& m = made.at(site.stack.at(0).address - 0x0fff);
        named_type named;
        named.type = m.type;
        for (const auto& [module, function] : m.calls) {
            named.frames.push_back({function, "", 0, 0, false});
        }
        named.place = named.frames.back();
        return named;
    };
    parts.sources = [](const std::string&) { return std::nullopt; };
    return advise(std::move(a), parts);
}

std::vector<std::string> leaks_of(const advice& a) {
    std::vector<std::string> texts;
    for (const advice_finding& f : a.findings) {
        if (f.kind == "leak") {
            texts.push_back(f.text);
        }
    }
    return texts;
}

TEST_CASE("known by the functions that lead to the allocator") {
    CHECK(
        rule_of({{libc, "_IO_file_doallocate"}, {libc, "_IO_doallocbuf"}, {libc, "printf"}, {app, "main"}}) ==
        "stdio-buffer");
    CHECK(rule_of({{libc, "__GI__IO_file_doallocate"}, {libc, "puts"}, {app, "main"}}) == "stdio-buffer");
    CHECK(rule_of({{libstdcxx, "std::ios_base::sync_with_stdio(bool)"}, {app, "main"}}) == "iostream-buffer");
    CHECK(rule_of({{libstdcxx, ""}, {loader, "call_init"}, {loader, "_dl_init"}}, 72704) == "exception-pool");
    CHECK(rule_of({{libstdcxx, ""}, {loader, "call_init"}}, 73728) == "exception-pool");
    CHECK(rule_of({{app, "(anonymous namespace)::pool::pool()"}, {app, "_GLOBAL__sub_I_eh_alloc.cc"}},
                  72704) == "exception-pool"); // -static-libstdc++
    CHECK(rule_of({{libc, ""}, {libc, "setlocale"}, {app, "main"}}) == "locale");
    CHECK(rule_of({{libstdcxx, "operator new(unsigned long)"},
                   {libstdcxx, "std::locale::_Impl::_Impl(char const*, unsigned long)"},
                   {libstdcxx, "std::locale::locale(char const*)"},
                   {app, "main"}}) == "locale");
    CHECK(rule_of(
              {{loader, "calloc"}, {loader, "_dl_allocate_tls"}, {libc, "pthread_create"}, {app, "main"}}) ==
          "thread-storage");
    CHECK(rule_of({{loader, "malloc"},
                   {loader, "_dl_new_object"},
                   {libc, "_dlerror_run"},
                   {libc, "dlopen"},
                   {app, "main"}}) == "dynamic-linker");
    CHECK(rule_of({{libc, "__gconv_open"}, {libc, "iconv_open"}, {app, "main"}}) == "conversion");
    CHECK(rule_of({{libc, "__new_exitfn"}, {libc, "__cxa_atexit"}, {app, "main"}}) == "exit-handlers");
}

TEST_CASE("what the program allocates stays the program's") {
    CHECK(rule_of({}) == "");
    CHECK(rule_of({{app, "main"}}) == "");
    CHECK(rule_of({{libc, "strdup"}, {app, "main"}}) == "");
    CHECK(rule_of({{libc, "fopen"}, {app, "main"}}) == "");
    CHECK(rule_of({{libstdcxx, "operator new(unsigned long)"}, {app, "setup()"}}, 72000) == "");
    CHECK(rule_of({{libstdcxx, "operator new(unsigned long)"}, {app, "main"}}, 80000) == "");
    // A plugin's constructor, called by dlopen.
    CHECK(rule_of({{libstdcxx, "operator new(unsigned long)"},
                   {"/opt/plugin.so", "registry::registry()"},
                   {loader, "call_init"},
                   {libc, "dlopen"},
                   {app, "main"}}) == "");
    CHECK(rule_of({{app, "my_setlocale"}, {app, "main"}}) == "");
}

TEST_CASE("a type of both: the program's blocks are leaks, the runtime's are not") {
    const advice a =
        advice_of({{{{libc, "_IO_file_doallocate"}, {libc, "puts"}, {app, "main"}}, "char", 1, 4096},
                   {{{app, "work"}, {app, "main"}}, "char", 3, 50}});
    CHECK(leaks_of(a) ==
          std::vector<std::string>{"not freed before the end: 3 of 4 blocks of char, 150 bytes (in main)"});
    CHECK(a.types.front().runtime.empty());
    CHECK(a.types.front().rule != "runtime");
}

TEST_CASE("more than a runtime library keeps is the program's doing") {
    const advice a =
        advice_of({{{{libc, "_IO_file_doallocate"}, {libc, "fputs"}, {app, "main"}}, "char", 50, 4096}});
    CHECK(leaks_of(a).size() == 1); // fopen without fclose
    CHECK(a.kept_by_runtime.empty());
}

} // namespace linn::tool::runtime_blocks_tests
