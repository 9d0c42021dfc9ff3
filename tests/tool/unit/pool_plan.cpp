// SPDX-License-Identifier: Apache-2.0
// Plans of pools: what is written is read again, and what is damaged is refused with the line.
#include "pools/compiled_plan.hpp"
#include "pools/plan.hpp"
#include "pools/toml_table.hpp"
#include "scratch_folder.hpp"
#include "unit.hpp"

#include <fmt/format.h>

namespace linn::tool::pool_plan_tests {

using testing::scratch_folder;

pool_plan example() {
    pool_plan plan;
    plan.program = "shop \"new\"";
    plan.note = "two\nlines, a \\ and a \t";
    plan.max_bytes = 1 << 20;
    plan.has_children = false;
    plan.serves_every_call = true;
    plan.modules = {{"shop", {0x1f, 0x00, 0xff}}, {"libold.so.1", {}}};
    plan.pools = {{"order", 16, false, false, 0, ""},
                  {"std::map<int, \"x\">", 128, true, true, 96, "caf\xc3\xa9"}};
    plan.sites = {
        {.pool = "order", .size = 72, .align = 8, .call = {"shop", 0x4f2a, {1, 2, 3, 4, 5, 6, 7, 8}}},
        {.pool = "order", .size = 1008, .call = {"shop", 0x4f2a, {1, 2, 3, 4, 5, 6, 7, 8}}},
        {.pool = "std::map<int, \"x\">",
         .size = 1,
         .align = 64,
         .call = {"shop", 0x5000, {}},
         .stack = 24,
         .caller = plan_call{"libold.so.1", 0x6000, std::vector<unsigned char>(16, 0xab)},
         .note = "behind xmalloc"}};
    return plan;
}

/// What is wrong with a text: "LINE: …"; empty: nothing.
std::string problem_of(const std::string& text) {
    try {
        static_cast<void>(read_plan(text));
        return {};
    } catch (const toml_problem& problem) {
        return fmt::format("{}: {}", problem.line(), problem.what());
    }
}

/// A plan as the library reads it.
struct loaded_plan {
    explicit loaded_plan(const pool_plan& plan) : bytes{compiled_plan(plan)} {
        REQUIRE(read_compiled_plan(bytes, tables));
    }

    std::string bytes; ///< which `tables` refer to
    plan_tables tables;
};

bool says(const std::string& problem, const std::string& what) {
    INFO(problem);
    const bool found = problem.find(what) != std::string::npos;
    CHECK(found);
    return found;
}

constexpr const char* site = "linn_plan = 1\n"            // 1
                             "[[module]]\n"               // 2
                             "name = 'm'\n"               // 3
                             "build_id = 'ab'\n"          // 4
                             "[[pool]]\n"                 // 5
                             "name = 'p'\n"               // 6
                             "[[site]]\n"                 // 7
                             "pool = 'p'\n"               // 8
                             "size = 40\n"                // 9
                             "module = 'm'\n"             // 10
                             "offset = 0x1_000 # here\n"; // 11

TEST_CASE("a plan that was written is read again") {
    const scratch_folder folder;
    const auto file = folder / "plan.toml";
    for (const pool_plan& plan : {example(), pool_plan{}}) {
        std::ofstream{file} << plan_text(plan);
        CHECK(read_plan_file(file) == plan);
    }
}

TEST_CASE("a plan may be written by hand") {
    CHECK(problem_of(site) == "");
    CHECK(problem_of("linn_plan=1") == "");
    CHECK(problem_of("\xef\xbb\xbf# a comment\r\n\r\nlinn_plan\t=\t1#x\r\n  [[ pool ]]\r\nname='p'\r\n") ==
          "");
    const pool_plan plan =
        read_plan("linn_plan = 1\nprogram = \"\\u00e9\\U0001F600\\\"\\\\\\t\"\nnote = '\\u'\n");
    CHECK(plan.program == "\xc3\xa9\xf0\x9f\x98\x80\"\\\t");
    CHECK(plan.note == "\\u");
}

TEST_CASE("the library reads what the plan says") {
    const loaded_plan loaded{example()};
    const plan_tables& t = loaded.tables;
    CHECK(t.max_bytes == 1 << 20);
    CHECK(t.has_children == 0);
    CHECK(t.serves_every_call == 1);
    REQUIRE((t.module_count == 2 && t.pool_count == 2 && t.site_count == 3));
    CHECK(t.text(t.modules[0].name) == "shop");
    CHECK((t.modules[0].build_id_bytes == 3 && t.modules[0].build_id[2] == 0xff));
    CHECK(t.modules[1].build_id_bytes == 0);
    CHECK(t.text(t.pools[1].name) == "std::map<int, \"x\">");
    CHECK((t.pools[1].align == 128 && t.pools[1].is_padded == 1 && t.pools[1].wants_huge_pages == 1));
    CHECK(t.pools[1].room == 96);
    CHECK((t.sites[0].pool == 0 && t.sites[0].size == 72 && t.sites[0].call.module == 0));
    CHECK((t.sites[0].call.offset == 0x4f2a && t.sites[0].call.code_bytes == 8 &&
           t.sites[0].call.code[7] == 8));
    CHECK((t.sites[1].size == 1008 && t.sites[1].is_behind == 0));
    CHECK((t.sites[2].is_behind == 1 && t.sites[2].stack == 24 && t.sites[2].caller.module == 1));
    CHECK((t.sites[2].caller.offset == 0x6000 && t.sites[2].caller.code_bytes == 16));
}

TEST_CASE("what a pool's slots hold is the largest size of its sites") {
    const std::string text =
        std::string{site} + "[[site]]\npool = 'p'\nsize = 72\nmodule = 'm'\noffset = 8192\n";
    CHECK(loaded_plan{read_plan(text)}.tables.pools[0].object_bytes == 72);
    CHECK(loaded_plan{read_plan(text)}.tables.sites[0].call.offset == 0x1000);

    // Or its own size: room for blocks that grow.
    for (const auto& [room, holds] : {std::pair{"50", 72}, std::pair{"100", 100}}) {
        std::string with_room = text;
        with_room.insert(with_room.find("[[site]]"), std::string{"size = "} + room + "\n");
        CHECK(loaded_plan{read_plan(with_room)}.tables.pools[0].object_bytes == holds);
    }
    std::string too_large = text;
    too_large.insert(too_large.find("[[site]]"), "size = 1009\n");
    CHECK(says(problem_of(too_large), "'size' must be"));
}

TEST_CASE("what is no plan is refused, with the line") {
    says(problem_of(""), "linn_plan = 1 is missing");
    says(problem_of("[[pool]]\nname = 'p'\n"), "linn_plan = 1 is missing");
    says(problem_of("linn_plan = 2\n"), "1: this is a plan of version 2");
    says(problem_of("linn_plan = '1'\n"), "1: 'linn_plan' must be a whole number");
    says(problem_of("linn_plan = 1\nlinn_plan = 1\n"), "2: ");
    says(problem_of("linn_plan = 1\nmax_bites = 1\n"), "2: 'max_bites' is not a key");
    says(problem_of("linn_plan = 1\n[pool]\nname = 'p'\n"), "2: 'pool' must be an array of tables");
    says(problem_of("linn_plan = 1\n[[pools]]\n"), "2: 'pools' is not a key");
    for (const char* line :
         {"[[pool]", "note = \"x", "note = \"\\x\"", "note = '\xc0\x80'", "note 'x'", "max_bytes = 01",
          "max_bytes = -1", "max_bytes = 1.5", "max_bytes = 9223372036854775808", "# \x01"}) {
        says(problem_of(fmt::format("linn_plan = 1\n{}\n", line)), "2: ");
    }
    says(problem_of("linn_plan = 1\nchildren = 1\n"), "must be true or false");
    says(problem_of("linn_plan = 1\n[[pool]]\nname = ''\n"), "not empty");
    says(problem_of("linn_plan = 1\n[[pool]]\nalign = 16\n"), "2: [[pool]] without 'name'");
    says(problem_of("linn_plan = 1\n[[pool]]\nname = 'p'\nalign = 48\n"),
         "4: 'align' must be a power of two");
    says(problem_of("linn_plan = 1\n[[pool]]\nname = 'p'\nalign = 8\n"), "from 16 to 128");
    says(problem_of("linn_plan = 1\n[[pool]]\nname = 'p'\norder = 'address'\n"),
         "4: 'order' is not a key of [[pool]]");
    says(problem_of("linn_plan = 1\n[[pool]]\nname = 'p'\n[[pool]]\nname = 'p'\n"),
         "4: two pools are called 'p'");
    says(problem_of("linn_plan = 1\n[[module]]\nname = 'p'\nbuild_id = 'abc'\n"), "bytes in hexadecimal");
    says(problem_of("linn_plan = 1\n[[pool]]\nname = \"a\\nb\"\n[[pool]]\nname = \"a\\nb\"\n"), "'a?b'");
}

TEST_CASE("what a site must have, and with what it goes together") {
    const auto with = [](std::string text, const std::string& what, const std::string& instead) {
        const std::size_t at = text.find(what);
        REQUIRE(at != std::string::npos);
        return text.replace(at, what.size(), instead);
    };
    says(problem_of(with(site, "pool = 'p'\n", "")), "7: [[site]] without 'pool'");
    says(problem_of(with(site, "size = 40\n", "")), "7: [[site]] without 'size'");
    says(problem_of(with(site, "module = 'm'\n", "")), "7: [[site]] without 'module'");
    says(problem_of(with(site, "offset = 0x1_000", "")), "7: [[site]] without 'offset'");
    says(problem_of(with(site, "size = 40", "size = 0")), "9: 'size' must be");
    says(problem_of(with(site, "size = 40", "size = 1009")), "9: 'size' must be");
    says(problem_of(with(site, "offset = 0x1_000", "offset = 1")), "11: 'offset' must be");
    says(problem_of(with(site, "pool = 'p'", "pool = 'q'")), "7: unknown pool 'q'");
    says(problem_of(with(site, "module = 'm'", "module = 'n'")), "7: unknown module 'n'");
    says(problem_of(with(site, "build_id = 'ab'\n", "")), "without a build id");
    says(problem_of(std::string{site} + "align = 32\n"), "alignment is larger");
    says(problem_of(std::string{site} + "code = '01 02'\n"), "8 to 16 bytes");
    says(problem_of(std::string{site} + "code = '0 10 20 30 40 50 60 70 80'\n"), "8 to 16 bytes");
    says(problem_of(std::string{site} + "stack = 8\n"), "need each other");
    says(problem_of(std::string{site} + "stack = 4\ncaller_module = 'm'\ncaller_offset = 64\n"),
         "multiple of 8");
    says(problem_of(std::string{site} + "caller_code = '0102030405060708'\n"), "need each other");
    says(problem_of(std::string{site} + "stack = 8\ncaller_module = 'x'\ncaller_offset = 64\n"),
         "unknown module 'x'");
    CHECK(problem_of(std::string{site} + "stack = 8\ncaller_module = 'm'\ncaller_offset = 64\n") == "");
    CHECK(problem_of(with(site, "name = 'p'\n", "name = 'p'\npadding = true\n") + "align = 64\n") == "");
}

TEST_CASE("a plan has so much and not more") {
    const auto repeated = [](std::size_t count, auto line) {
        std::string text = site;
        for (std::size_t i = 0; i != count; ++i) {
            text += line(i);
        }
        return text;
    };
    const auto pool = [](std::size_t i) { return fmt::format("[[pool]]\nname = '{}'\n", i); };
    CHECK(problem_of(repeated(most_planned_pools - 1, pool)) == "");
    says(problem_of(repeated(most_planned_pools, pool)), "62 pools at most");
    const auto module = [](std::size_t i) { return fmt::format("[[module]]\nname = '{}'\n", i); };
    CHECK(problem_of(repeated(most_planned_modules - 1, module)) == "");
    says(problem_of(repeated(most_planned_modules, module)), "256 modules at most");
    const auto another = [](std::size_t i) {
        return fmt::format("[[site]]\npool = 'p'\nsize = 8\nmodule = 'm'\noffset = {}\n", 100 + i);
    };
    CHECK(problem_of(repeated(most_planned_sites - 1, another)) == "");
    says(problem_of(repeated(most_planned_sites, another)), "4096 sites at most");
}

TEST_CASE("two sites that are one call are refused") {
    const scratch_folder folder;
    const auto file = folder / "plan.toml";
    std::ofstream{file} << site << "[[site]]\npool = 'p'\nsize = 40\nmodule = 'm'\noffset = 4096\n";
    CHECK_THROWS_WITH_AS(static_cast<void>(read_plan_file(file)),
                         doctest::Contains("plan.toml:12: the same call and size as the site of line 7"),
                         unusable_input);
    CHECK_THROWS_WITH_AS(static_cast<void>(read_plan_file(folder / "none")), doctest::Contains("none"),
                         unusable_input);
    CHECK_THROWS_AS(static_cast<void>(read_plan_file("/")), unusable_input);
}

} // namespace linn::tool::pool_plan_tests
