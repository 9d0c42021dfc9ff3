// SPDX-License-Identifier: Apache-2.0
// Which allocators an experiment compares: all that work, or those named; a bad one on request only; and of each that is left
// out, why, with the line that gets it.
#include "experiment/contenders.hpp"

#include "unit.hpp"

namespace linn::tool::contenders_tests {

allocator_entry entry_of(const char* name, library_state state, std::string remark = {}) {
    allocator_entry e;
    e.name = name;
    e.title = name;
    e.version = "1.2";
    e.state = state;
    e.remark = std::move(remark);
    if (state != library_state::missing) {
        e.library = std::string{"/lib/"} + name + ".so";
    }
    return e;
}

struct chosen {
    std::vector<contender> list;
    std::vector<left_out_contender> left_out;

    chosen(const std::vector<std::string>& only, const std::vector<allocator_entry>& inventory,
           const user_allocators& given = {}) {
        list = allocator_choice{only, given}.contenders(inventory, left_out);
    }
};

TEST_CASE("what works takes part, with what a reader must know of it") {
    allocator_entry good = entry_of("jemalloc", library_state::usable, "returns memory late");
    good.environment = {"A=1"};
    const chosen c{{}, {good}};
    REQUIRE(c.list.size() == 1);
    CHECK(c.left_out.empty());
    CHECK(c.list[0].kind == contender_kind::preload);
    CHECK(c.list[0].library == good.library);
    CHECK(c.list[0].environment == good.environment);
    CHECK(c.list[0].notes == std::vector<std::string>{"runs with A=1", "returns memory late"});
    CHECK(title_with_version(c.list[0]) == "jemalloc 1.2");
}

TEST_CASE("names choose, and one that stands for several chooses them all") {
    const std::vector<allocator_entry> inventory{entry_of("jemalloc", library_state::usable),
                                                 entry_of("mimalloc2", library_state::usable),
                                                 entry_of("mimalloc3", library_state::usable)};
    CHECK(chosen{{}, inventory}.list.size() == 3);
    CHECK(chosen{{"jemalloc"}, inventory}.list.size() == 1);
    CHECK(chosen{{"mimalloc"}, inventory}.list.size() == 2);
    CHECK(chosen{{"hoard"}, inventory}.left_out.empty()); // nobody asked for the others
}

TEST_CASE("one that is known to be bad is measured where it was named or given, and nowhere else") {
    const std::vector<allocator_entry> bad{
        entry_of("mimalloc2", library_state::known_bad, "misaligned memory")};
    const chosen unnamed{{}, bad};
    CHECK(unnamed.list.empty());
    REQUIRE(unnamed.left_out.size() == 1);
    CHECK(unnamed.left_out[0].name == "mimalloc2");
    CHECK(unnamed.left_out[0].reason == "known bad: misaligned memory; name it to measure it all the same");
    CHECK(chosen{{"mimalloc2"}, bad}.list.size() == 1);
    CHECK(chosen{{}, bad, {{"mimalloc2", "/x.so"}}}.list.size() == 1);
}

TEST_CASE("what cannot be measured is left out with the reason, and the line that gets it") {
    allocator_entry missing = entry_of("jemalloc", library_state::missing, "no libjemalloc.so.2");
    missing.how_to_get = "apt-get install libjemalloc2";
    const chosen c{{"jemalloc", "hoard", "scudo"},
                   {missing, entry_of("hoard", library_state::broken, "it hangs"),
                    entry_of("scudo", library_state::inert, "it provides nothing")}};
    CHECK(c.list.empty());
    REQUIRE(c.left_out.size() == 3);
    CHECK(c.left_out[0].reason == "no libjemalloc.so.2; get it with: apt-get install libjemalloc2");
    CHECK(c.left_out[1].reason == "broken: it hangs");
    CHECK(c.left_out[2].reason == "inert: it provides nothing");
}

TEST_CASE("glibc on huge pages keeps the other tunables") {
    const char* const before = std::getenv("GLIBC_TUNABLES");
    const std::string saved = before == nullptr ? "" : before;
    ::unsetenv("GLIBC_TUNABLES");
    CHECK(glibc_on_huge_pages().environment ==
          std::vector<std::string>{"GLIBC_TUNABLES=glibc.malloc.hugetlb=1"});
    ::setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=1", 1);
    CHECK(glibc_on_huge_pages().environment ==
          std::vector<std::string>{"GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1"});
    ::unsetenv("GLIBC_TUNABLES");
    if (!saved.empty()) {
        ::setenv("GLIBC_TUNABLES", saved.c_str(), 1);
    }
}

} // namespace linn::tool::contenders_tests
