// SPDX-License-Identifier: Apache-2.0
// From an analysed trace to the advice, with names made up here: grouping, gains, verdicts. What the C and C++ libraries keep until the
// end is no leak of the program's: a first-time user was told that "the only block of char, 4096 bytes" were not freed: stdout's
// buffer.
#include "../support/advised_program.hpp"
#include "advise/advice.hpp"
#include "advise/findings.hpp"
#include "measure/statistics.hpp"
#include "report/commands/reports.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::advise_tests {

using namespace linn::tool::testing;

const advised_type& type_of(const advice& a, const std::string& label) {
    const auto found = std::find_if(a.types.begin(), a.types.end(),
                                    [&](const advised_type& t) { return label_of(t) == label; });
    REQUIRE(found != a.types.end());
    return *found;
}

TEST_CASE("many small types count as much as one large one") {
    program p;
    std::vector<std::string> names;
    for (unsigned i = 0; i != 240; ++i) {
        p.churn(100, 32, 10);
        names.push_back("Part" + std::to_string(i));
    }
    const advice a = advise(timed(p.analyse(1e9), std::vector<double>(240, 0.0012)), parts_for(names));
    CHECK(std::ranges::all_of(a.types, [](const advised_type& t) { return t.rule == "rare"; }));
    CHECK(a.answer == pool_answer::yes);
    CHECK(a.pools.low == doctest::Approx(240 * 0.0012 * 0.9 * 0.2));
}

TEST_CASE("types are in the order of their time, or of their calls where that is not known") {
    program p;
    p.churn(3000, 40, 10);
    p.churn(1000, 24, 10);
    const advise_parts parts = parts_for({"P|std::list<P>", "int|std::set<int>"});
    CHECK(label_of(advise(timed(p.analyse(1e6), {0.1, 0.2}), parts).types.front()) == "std::set<int>");
    CHECK(label_of(advise(p.analyse(1e6), parts).types.front()) == "std::list<P>");
}

TEST_CASE("types that are too rare alone are worth the change that serves all of them") {
    program p;
    std::vector<std::string> names;
    for (unsigned i = 0; i != 6; ++i) {
        p.churn(1000, 32 + 16 * i, 10);
        names.push_back("shop::part" + std::to_string(i));
    }
    advise_parts parts = parts_for(names);
    bool is_alias = false;
    parts.names.name = [names = parts.names.name, &is_alias](const allocation_site& site) {
        named_type named = names(site);
        named.takes_allocator = is_alias ? "shop::document<std::map, std::allocator>" : "";
        return named;
    };
    const auto advised = [&] {
        const advice a = advise(timed(p.analyse(10e6), std::vector<double>(6, 0.004)), parts, 0.01);
        return std::ranges::count_if(a.types,
                                     [](const advised_type& t) { return t.what != remedy::nothing; });
    };
    CHECK(advised() == 0);
    is_alias = true;
    CHECK(advised() == 6);
}

TEST_CASE("a pool of 2 MiB of live objects is advised with huge pages") {
    const auto ask = [](unsigned live) {
        program p;
        p.churn(100'000, 40, live);
        return advise(timed(p.analyse(40e6), {0.4}), parts_for({"Particle|std::list<Particle>"}));
    };
    const advice large = ask(50'000);
    const advised_type& list = type_of(large, "std::list<Particle>");
    REQUIRE(list.what == remedy::pooled_container);
    CHECK(list.wants_huge_pages);
    CHECK(report::advise_document(large, {}).json()["types"][0]["huge_pages"] == true);

    const advice small = ask(40'000); // 48 bytes each: less than 2 MiB
    CHECK_FALSE(type_of(small, "std::list<Particle>").wants_huge_pages);
    advice none = large;
    none.threshold = 0.9;
    take_verdict(none); // no pool, and no option of one
    REQUIRE(none.answer == pool_answer::no);
    CHECK_FALSE(type_of(none, "std::list<Particle>").wants_huge_pages);
}

TEST_CASE("types out of several stacks are one, with a place for each line") {
    program p;
    p.churn(3000, 40, 10);
    p.churn(1000, 40, 10);
    const advice a = advise(p.analyse(1e6), parts_for({"P|std::list<P>", "P|std::list<P>"}));
    REQUIRE(a.types.size() == 1);
    CHECK(a.types[0].statistics.allocations == 4000);
    CHECK(a.types[0].statistics.peak_live == 10); // not twenty: never more were live
    REQUIRE(a.types[0].places.size() == 2);
    CHECK(a.types[0].places[0].frame.line == 50);
    CHECK(a.types[0].places[0].share == 0.75);
    CHECK(a.types[0].places[1].share == 0.25);
}

TEST_CASE("the program's CPU time: measured, or less the recording") {
    trace_info info;
    info.events = 1'000'000;
    info.event_cost_ns = 30;
    info.duration_ns = 200'000'000;
    CHECK(cost_of_program(info).cpu_ns == 0); // it was idle, or the recording was cut off
    info.user_ns = 100e6;
    info.system_ns = 10e6;
    CHECK(cost_of_program(info).cpu_ns == 80e6);
    info.event_cost_ns = 200; // more than there was
    CHECK(cost_of_program(info).cpu_ns == doctest::Approx(11e6));
    CHECK(cost_of_program(info).is_guess);
    CHECK_FALSE(cost_of_program(info).has_recording);
    info.event_cost_ns = 0; // not measured
    CHECK(cost_of_program(info).has_recording);
    info.baseline.cpu_ns = 75e6;
    CHECK_FALSE(cost_of_program(info).has_recording);
    CHECK(cost_of_program(info).cpu_ns == 75e6);
    CHECK_FALSE(cost_of_program(info).is_guess);
}

const char* const app = "/home/me/app";
const char* const libc = "/lib/x86_64-linux-gnu/libc.so.6";
const char* const libstdcxx = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";
const char* const loader = "/lib64/ld-linux-x86-64.so.2";

using made_calls = std::vector<std::pair<const char*, const char*>>; ///< module and function, innermost first

std::vector<symbol_frame> frames_of(const made_calls& calls) {
    std::vector<symbol_frame> frames;
    for (const auto& [module, function] : calls) {
        frames.push_back({function, "", 0, 0, false, std::filesystem::path{module}.filename()});
    }
    return frames;
}

struct made_site {
    made_calls calls;
    std::string type;
    std::uint64_t live;
    std::uint64_t bytes;
};

advice advice_of(const std::vector<made_site>& made) {
    trace_analysis a;
    for (const made_site& m : made) {
        site_statistics s;
        s.allocations = s.live_at_end = s.peak_live = m.live;
        s.bytes = s.live_bytes_at_end = s.peak_live_bytes = m.live * m.bytes;
        s.smallest = s.largest = m.bytes;
        s.sizes = {{m.bytes, m.live}};
        a.sites.push_back({static_cast<std::uint32_t>(a.info.stacks.size()), allocation_call::malloc, s});
        a.all.merge(s);
        a.info.stacks.push_back({{0, 0x0fff + a.sites.size()}});
    }
    advise_parts parts;
    parts.names.name = [&](const allocation_site& site) {
        const made_site& m = made.at(site.stack.at(0).address - 0x0fff);
        named_type named;
        named.type = m.type;
        named.frames = frames_of(m.calls);
        named.place = named.frames.empty() ? symbol_frame{} : named.frames.back();
        return named;
    };
    return advise(std::move(a), parts);
}

std::string rule_of(const made_calls& calls, std::uint64_t bytes = 100) {
    const advice a = advice_of({{calls, "", 1, bytes}});
    return a.kept_by_runtime.empty() ? "" : a.kept_by_runtime.front().rule;
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
    CHECK(rule_of({{app, "my_setlocale"}, {app, "main"}}, 80000) == ""); // as large as what is looked at
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

} // namespace linn::tool::advise_tests
