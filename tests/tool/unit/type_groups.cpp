// SPDX-License-Identifier: Apache-2.0
// Which sites are one line of the advice, and what the line is called.
#include "advise/type_groups.hpp"

#include "profile/trace_profile.hpp"
#include "symbols/call_chain.hpp"
#include "unit.hpp"

namespace linn::tool::type_groups_tests {

/// A name, and how many blocks of which size.
struct made_site {
    std::string type;
    std::uint64_t count;
    std::uint64_t bytes = 48;
    std::string container = {};
    std::string address = {};  ///< of blocks that nothing names: `type` is whose they are
    std::uint64_t largest = 0; ///< 0: as `bytes`, which is the most frequent size
};

std::vector<advised_type> types_of(const std::vector<made_site>& sites, trace_profile* profile = nullptr) {
    trace_analysis analysis;
    analysis.info.modules.push_back({"/home/me/app", "abcd"});
    for (const made_site& one : sites) {
        const auto stack = static_cast<std::uint32_t>(analysis.info.stacks.size());
        analysis.info.stacks.push_back({{0, 0x1000 + stack}});
        analysed_site site;
        site.stack = stack;
        site.call = allocation_call::operator_new;
        site.statistics.allocations = one.count;
        site.statistics.smallest = one.bytes;
        site.statistics.largest = std::max(one.bytes, one.largest);
        site.statistics.sizes = {{one.bytes, one.count}};
        analysis.all.merge(site.statistics);
        analysis.sites.push_back(site);
    }
    naming names;
    names.name = [&](const allocation_site& site) {
        const std::uint64_t index = site.stack.at(0).address - 0x0fff;
        named_type named;
        named.type = sites.at(index).type;
        named.container = sites.at(index).container;
        named.rule = type_rule::allocator;
        if (const std::string& address = sites.at(index).address; !address.empty()) {
            named.rule = type_rule::none;
            named.blocks = {std::to_string(site.sizes.at(0)) + "-byte blocks", sites.at(index).type, address};
            named.type = named.blocks.text();
        }
        named.place = {"work()", "/home/me/app.cpp", static_cast<unsigned>(50 + index), 7, false};
        return named;
    };
    if (profile != nullptr) {
        *profile = name_profile("made.linn", analysis, names);
    }
    return group_types(analysis, name_sites(analysis, names));
}

std::vector<std::string> labels_of(const std::vector<advised_type>& types) {
    std::vector<std::string> labels;
    for (const advised_type& type : types) {
        labels.push_back(label_of(type));
    }
    return labels;
}

TEST_CASE("an instantiation with most of the allocations keeps a line of its own") {
    const std::vector<made_site> sites{{"lazy<1>", 1000}, {"lazy<2>", 10}, {"lazy<3>", 20}, {"lazy<4>", 30}};
    CHECK(labels_of(types_of(sites)) == std::vector<std::string>{"lazy<1>", "lazy<...> (3 types)"});
}

TEST_CASE("few instantiations, and those of the standard library's templates, stay as they are") {
    CHECK(labels_of(types_of({{"lazy<1>", 10}, {"lazy<2>", 9}})) ==
          std::vector<std::string>{"lazy<1>", "lazy<2>"});
    const std::vector<made_site> lists{{"int", 9, 24, "std::list<int>"},
                                       {"long", 8, 24, "std::list<long>"},
                                       {"char", 7, 24, "std::list<char>"}};
    CHECK(labels_of(types_of(lists)) ==
          std::vector<std::string>{"std::list<int>", "std::list<long>", "std::list<char>"});
    const std::vector<made_site> nodes{{"lazy<1>", 9, 24, "std::list<lazy<1>>"},
                                       {"lazy<2>", 8, 24, "std::list<lazy<2>>"},
                                       {"lazy<3>", 7, 24, "std::list<lazy<3>>"}};
    CHECK(labels_of(types_of(nodes)) == std::vector<std::string>{"std::list<lazy<...>> (3 types)"});
}

TEST_CASE("a string that was allocated itself is not called as its text is") {
    CHECK(labels_of(types_of({{"char", 9, 40, "std::string"}, {"std::string", 8, 32}})) ==
          std::vector<std::string>{"std::string", "std::string object"});
}

TEST_CASE("what a container holds is named where two of its types have rows") {
    CHECK(labels_of(types_of({{"lambda", 9, 40, "std::function<void()>"},
                              {"functor", 8, 32, "std::function<void()>"},
                              {"int", 7, 8, "std::unique_ptr<int>"},
                              {"std::unique_ptr<int>", 6, 8},
                              {"long", 5, 8, "std::unique_ptr<long>"}})) ==
          std::vector<std::string>{"lambda of std::function<void()>", "functor of std::function<void()>",
                                   "int of std::unique_ptr<int>", "std::unique_ptr<int>",
                                   "std::unique_ptr<long>"});
}

TEST_CASE(
    "blocks that nothing names are told apart by the call, and have numbers where they are called alike") {
    trace_profile profile;
    const std::vector<advised_type> types = types_of({{"of app", 9, 48, {}, "app+0x20"},
                                                      {"under f", 8, 48, {}, "app+0x10"},
                                                      {"of app", 7, 48, {}, "app+0x10"}, // the same call
                                                      {"of app", 3, 48, {}, "app+0x30"},
                                                      {"of app", 2, 32, {}, "app+0x30"}},
                                                     &profile);
    CHECK(labels_of(types) == std::vector<std::string>{"48-byte blocks under f", "48-byte blocks #1 of app",
                                                       "48-byte blocks #2 of app", "32-byte blocks of app"});
    CHECK(types.at(0).named.blocks.address == "app+0x10");
    CHECK(types.at(0).statistics.allocations == 15);
    const trace_view view = look_at(profile, block_filter::all); // the rows of linn trace have the same names
    CHECK(std::ranges::equal(view.types, types, {}, &view_row::label, label_of));
    profile.sites.back().named.place = profile.sites.front().named.place; // where another type has blocks too
    CHECK(look_at(profile, block_filter::all).places.size() == 4);
}

TEST_CASE("blocks that nothing names are called by all sizes of their row, rare ones and those after a "
          "realloc too") {
    const std::vector<advised_type> types =
        types_of({{"of app", 9, 192, {}, "app+0x20", 12'288}, {"of app", 7, 192, {}, "app+0x20", 400}});
    CHECK(labels_of(types) == std::vector<std::string>{"192-12288-byte blocks of app"});
}

/// A stack of functions in files, innermost first; one without a name has none.
struct made_chain {
    std::vector<known_frame> frames;
    call_chain chain;

    explicit made_chain(const std::vector<std::pair<std::string, std::string>>& functions)
        : frames(functions.size()) {
        for (std::size_t i = 0; i != functions.size(); ++i) {
            const auto& [function, path] = functions[i];
            frames[i].shown.function = function;
            frames[i].address = 0x0fff + i;
            take_module(frames[i], path);
            chain.push_back(&frames[i]);
        }
    }
};

std::string blocks_of(const std::vector<std::pair<std::string, std::string>>& functions,
                      const std::vector<std::uint64_t>& sizes = {48}, std::size_t from = 0) {
    const made_chain made{functions};
    const unnamed_blocks blocks = describe_blocks(made.chain, from, sizes);
    return blocks.text() + (blocks.address.empty() ? "" : " at " + blocks.address);
}

TEST_CASE(
    "blocks that nothing names are said to be the nearest function's that has a name, else the file's") {
    const std::string app = "/home/me/app";
    CHECK(blocks_of({{"parse", app}, {"main", app}}) == "48-byte blocks of parse at app+0x1000");
    CHECK(blocks_of({{"", app}, {"", app}, {"run", app}}) == "48-byte blocks under run at app+0x1000");
    CHECK(blocks_of({{"", app}, {"main", app}, {"_start", app}}) == "48-byte blocks of app at app+0x1000");
    CHECK(blocks_of({{"", app}, {"call", "/usr/lib/libother.so.1"}}) ==
          "48-byte blocks of app at app+0x1000"); // what another file's function is called says nothing
    CHECK(blocks_of({{"xmlNew", "/usr/lib/libxml2.so.2"}}) ==
          "48-byte blocks of xmlNew in libxml2.so.2 at libxml2.so.2+0x1000");
    CHECK(blocks_of({{"", "/opt/libown.so"}, {"own_run", "/opt/libown.so"}}) ==
          "48-byte blocks under own_run in libown.so at libown.so+0x1000");
    CHECK(blocks_of({{"parse", app}}, {8, 32, 16}) == "8-32-byte blocks of parse at app+0x1000");
    CHECK(blocks_of({{"parse", app}}, {}) == "blocks of parse at app+0x1000");
    CHECK(blocks_of({}) == "48-byte blocks of unknown code");
    CHECK(blocks_of({{"malloc", "/usr/lib/libjvm.so"}, {"", ""}, {"main", app}}) ==
          "48-byte blocks of malloc in libjvm.so at libjvm.so+0x1000");
    CHECK(blocks_of({{"", ""}, {"main", app}}) == "48-byte blocks of main at app+0x1001");
    CHECK(blocks_of({{"malloc", "/usr/lib/libjvm.so"}, {"", ""}}) ==
          "48-byte blocks of malloc in libjvm.so at libjvm.so+0x1000");
    CHECK(blocks_of({{"", ""}}) == "48-byte blocks of generated code at 0x1000");
}

// They were "of main": of the program that called the library.
TEST_CASE(
    "blocks of a stripped library are its exported function's, not those of the program that calls it") {
    const std::string app = "/home/me/app";
    const std::string tidy = "/usr/lib/libtidy.so.5";
    const std::string c = "/usr/lib/libc.so.6";
    const std::string cxx = "/usr/lib/libstdc++.so.6";
    CHECK(blocks_of({{"tidyNew", tidy}, {"main", app}}) ==
          "48-byte blocks of tidyNew in libtidy.so.5 at libtidy.so.5+0x1000");
    CHECK(blocks_of({{"", tidy}, {"", tidy}, {"tidyParse", tidy}, {"main", app}}) ==
          "48-byte blocks under tidyParse in libtidy.so.5 at libtidy.so.5+0x1000");
    CHECK(blocks_of({{"", tidy}, {"read_page", app}, {"main", app}}) ==
          "48-byte blocks of libtidy.so.5 at libtidy.so.5+0x1000");
    // The C and C++ runtime works for its caller, and a callback is the program's.
    CHECK(blocks_of({{"std::string::_M_create", cxx}, {"", tidy}, {"tidyParse", tidy}, {"main", app}}) ==
          "48-byte blocks under tidyParse in libtidy.so.5 at libtidy.so.5+0x1001");
    CHECK(blocks_of({{"qsort", c}, {"sort_pages", app}}) == "48-byte blocks of sort_pages at app+0x1001");
    CHECK(blocks_of({{"on_element", app}, {"tidyParse", tidy}, {"main", app}}) ==
          "48-byte blocks of on_element at app+0x1000");
}

TEST_CASE("blocks are not those of the functions of the allocator") {
    const std::string app = "/home/me/app";
    CHECK(blocks_of({{"tracked", app}, {"operator new", app}, {"orders", app}}, {48}, 2) ==
          "48-byte blocks of orders at app+0x1002");
    CHECK(blocks_of({{"tracked", app}, {"operator new", app}}, {48}, 2) ==
          "48-byte blocks of operator new at app+0x1001");
}

TEST_CASE("a place without a line is a function, a library, or a function of a library") {
    CHECK(place_text({"f()", "/a/b.cpp", 7, 1, false}) == "b.cpp:7");
    CHECK(place_text({"f()", "", 0, 0, false}) == "in f()");
    CHECK(place_text({"", "", 0, 0, false, "libxml2.so.2", false, true}) == "in libxml2.so.2");
    CHECK(place_text({"inflate", "", 0, 0, false, "libz.so.1", false, true}) == "in inflate of libz.so.1");
    CHECK(place_text({}).empty());
    named_type text; // which strdup() allocates for the user's code
    text.rule = type_rule::allocator;
    CHECK(lacks_names(text, {"strdup", "strdup.c", 42, 0, false, "libc.so.6"}));
    CHECK_FALSE(lacks_names(text, {"f()", "/a/b.cpp", 7, 0, false, "app", true}));
}

TEST_CASE("Rust has no C++ pools, and its library is not the user's code") {
    CHECK(is_c_language(0x1c)); // DW_LANG_Rust
    CHECK(is_system_file("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/alloc.rs"));
}

TEST_CASE("Programs in /usr/lib are the user's code, libraries there are not") {
    known_frame frame;
    take_module(frame, "/usr/lib/git-core/git");
    CHECK_FALSE(frame.is_system);
    take_module(frame, "/usr/lib/x86_64-linux-gnu/libz.so.1");
    CHECK(frame.is_system);
}

} // namespace linn::tool::type_groups_tests
