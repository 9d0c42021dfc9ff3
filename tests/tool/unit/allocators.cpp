// SPDX-License-Identifier: Apache-2.0
// Allocators as linn knows, finds and believes them, and which of them an experiment compares: all that work, or those named; a
// bad one on request only; and of each that is left out, why, with the line that gets it.
#include "allocators/allocators.hpp"

#include "experiment/contenders.hpp"
#include "unit.hpp"

namespace linn::tool::allocators_tests {

TEST_CASE("a package's version is upstream's without epoch and packaging") {
    CHECK(upstream_version("5.3.0-1") == "5.3.0");
    CHECK(upstream_version("1:2.0.9+ds-2+b1") == "2.0.9");
    CHECK(upstream_version("2.50.6-1~deb12u2") == "2.50.6");
    CHECK(upstream_version("2.10") == "2.10");
}

TEST_CASE("every allocator has a licence and a way to get it") {
    for (const known_allocator& a : known_allocators()) {
        CAPTURE(a.name);
        CHECK_FALSE(a.licence.empty());
        CHECK((!a.package.empty() || a.can_install));
    }
}

const std::string libc = "/usr/lib/libc.so.6";
const std::string runtime = "/usr/lib/libstdc++.so.6.0.30";
const std::string library = "/usr/lib/libmine.so.1";

provider_proof made(const std::string& c_functions, const std::string& new_, const std::string& delete_,
                    const std::string& sized) {
    return {{{"malloc", c_functions},
             {"free", c_functions},
             {"operator new", new_},
             {"operator delete", delete_},
             {"sized operator delete", sized}},
            true};
}

TEST_CASE("a library is believed where all that it must provide comes from it, the baseline where nothing is "
          "preloaded") {
    const std::string other = "/other.so";
    struct row {
        bool is_believed;
        std::string preload; // none: the baseline
        provider_proof proof;
    };
    provider_proof not_mapped = made(library, library, library, library);
    not_mapped.preload_mapped = false;
    const row rows[] = {
        {true, library, made(library, library, library, library)},
        {true, library, made(library, runtime, runtime, runtime)}, // operators may stay with the C++ runtime
        {true, library, made(library, library, library, runtime)},
        {false, library, made(library, library, runtime, runtime)}, // but new and delete together
        {false, library, made(library, other, other, other)},
        {false, library, not_mapped},
        {false, library, {}}, // no answer is no proof
        {true, {}, made(libc, runtime, runtime, runtime)},
        {false, {}, made(library, runtime, runtime, runtime)},
        {false, {}, made(libc, library, library, library)},
        {false, {}, {}},
    };
    for (const row& r : rows) {
        CAPTURE(&r - rows);
        CHECK(refute(r.proof, r.preload).empty() == r.is_believed);
    }
    CHECK(refute(made(libc, runtime, runtime, runtime), library) ==
          "the preload did not take effect: malloc is provided by " + libc);
}

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

} // namespace linn::tool::allocators_tests
