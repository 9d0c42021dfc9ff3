// SPDX-License-Identifier: Apache-2.0
#include "allocators/catalogue.hpp"
#include "allocators/finder.hpp"
#include "allocators/installer.hpp"
#include "allocators/inventory.hpp"
#include "allocators/prober.hpp"
#include "unit.hpp"

namespace linn::tool::allocators_tests {

TEST_CASE("a package's version is upstream's without epoch and packaging") {
    CHECK(upstream_version("5.3.0-1") == "5.3.0");
    CHECK(upstream_version("1:2.0.9+ds-2+b1") == "2.0.9");
    CHECK(upstream_version("2.50.6-1~deb12u2") == "2.50.6");
    CHECK(upstream_version("2.10") == "2.10");
}

TEST_CASE("versions are ordered by number") {
    CHECK(is_older("1.9", "1.10"));
    CHECK(is_older("2.0", "2.0.1"));
    CHECK_FALSE(is_older("3.3.2", "3.3.2"));
    CHECK_FALSE(is_older("19", "9"));
}

TEST_CASE("a name may stand for several, and a name that the user gave stands for itself") {
    CHECK(resolve_names({"mimalloc", "mimalloc3"}, {}) == std::vector<std::string>{"mimalloc2", "mimalloc3"});
    CHECK(resolve_names({"ptmalloc"}, {}) == std::vector<std::string>{"glibc"});
    CHECK(resolve_names({"mimalloc"}, {{"mimalloc", "/x.so"}}) == std::vector<std::string>{"mimalloc"});
    CHECK(resolve_names({"nosuch"}, {}) == std::vector<std::string>{"nosuch"});
}

TEST_CASE("every allocator has a licence and a way to get it") {
    const std::vector<std::string> installable = installable_names();
    for (const known_allocator& a : known_allocators()) {
        CAPTURE(a.name);
        CHECK_FALSE(a.licence.empty());
        CHECK((!a.package.empty() || a.can_install));
        CHECK((std::find(installable.begin(), installable.end(), a.name) != installable.end()) ==
              a.can_install);
    }
    CHECK(known_allocators().front().name == "glibc");
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

} // namespace linn::tool::allocators_tests
