// SPDX-License-Identifier: Apache-2.0
#include "allocators/prober.hpp"
#include "unit.hpp"

namespace linn::tool::proof_tests {

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

TEST_CASE("a library that provides everything is believed") {
    CHECK(refute(made(library, library, library, library), library).empty());
}

TEST_CASE("operator new and delete may stay with the C++ runtime, but only both") {
    CHECK(refute(made(library, runtime, runtime, runtime), library).empty());
    CHECK(refute(made(library, library, library, runtime), library).empty());
    CHECK_FALSE(refute(made(library, library, runtime, runtime), library).empty());
    CHECK_FALSE(refute(made(library, "/other.so", "/other.so", "/other.so"), library).empty());
}

TEST_CASE("a library without effect is refused with the one that is in effect") {
    CHECK(refute(made(libc, runtime, runtime, runtime), library) ==
          "preload did not take effect: malloc is provided by " + libc);
}

TEST_CASE("a library that is not mapped is refused") {
    provider_proof proof = made(library, library, library, library);
    proof.preload_mapped = false;
    CHECK_FALSE(refute(proof, library).empty());
}

TEST_CASE("the baseline must run on the C library and the C++ runtime alone") {
    CHECK(refute(made(libc, runtime, runtime, runtime), {}).empty());
    CHECK_FALSE(refute(made(library, runtime, runtime, runtime), {}).empty());
    CHECK_FALSE(refute(made(libc, library, library, library), {}).empty());
}

TEST_CASE("no answer is no proof") {
    CHECK_FALSE(refute({}, {}).empty());
    CHECK_FALSE(refute({}, library).empty());
}

} // namespace linn::tool::proof_tests
