// SPDX-License-Identifier: Apache-2.0
// What `linn run` knows of a program and gives to it. Which programs are refused, and what becomes of their processes: run_cases.py.
#include "run/target.hpp"

#include "../support/flat_text.hpp"
#include "measure/files.hpp"
#include "program/executable.hpp"
#include "programs.hpp"
#include "unit.hpp"

#include <dlfcn.h>

namespace linn::tool::target_tests {

using namespace linn::tool::testing;

TEST_CASE("directory, environment and arguments are those of the spec") {
    const scratch_folder folder;
    launch_spec spec =
        spec_of("/bin/sh", {"-c", "pwd; echo $GIVEN${LD_PRELOAD#*probe.so}; echo \"$0\"; echo why >&2"});
    spec.arguments[0] = "another name";
    spec.environment = {"GIVEN=yes", "LD_PRELOAD=/nonexistent.so"};
    spec.directory = folder / "";
    const observation o = run(spec);
    CHECK(o.output == std::filesystem::canonical(folder / "").string() + "\nyes\nanother name\n");
    CHECK(o.errors == "why\n");
}

TEST_CASE("the last lines are clean text, as many as asked for") {
    const char* const output = "one\ntwo\033[2J\nthree\n\n";
    CHECK(tail(output, 2) == "two[2J\nthree");
    CHECK(tail(output, 10) == "one\ntwo[2J\nthree");
    CHECK(tail(output, 10, 5) == "three");
    CHECK(tail(output, 0) == "");
    CHECK(tail("", 3) == "");
}

TEST_CASE("programs with heaps of their own are remarked on") {
    process_proof p;
    p.executable = "/usr/bin/python3.11";
    CHECK(remarks_on(p, {}).size() == 1);
    CHECK(contains(remarks_on(p, {}).at(0), "PYTHONMALLOC=malloc"));
    p.environment = {"PYTHONMALLOC=malloc"};
    CHECK(remarks_on(p, {}).empty());
    p.executable = "/usr/bin/node";
    CHECK(contains(remarks_on(p, {}).at(0), "V8"));
    p.executable = "/usr/bin/nodejs-tool";
    CHECK(remarks_on(p, {}).empty());
    executable_info info;
    info.private_heap = "jemalloc";
    info.is_go = true;
    CHECK(remarks_on(p, info).size() == 2);
}

TEST_CASE("a program is looked up as a shell does it") {
    const scratch_folder folder;
    std::filesystem::create_directories(folder / "a/tool");
    std::filesystem::create_directories(folder / "b");
    std::filesystem::create_directories(folder / "c");
    folder.file("b/tool", "text");
    folder.file("c/tool", "#!/bin/sh\n", true);
    const std::string a = (folder / "a").string();
    const std::string b = (folder / "b").string();
    const std::string c = (folder / "c").string();
    CHECK(find_program("tool", a + ":" + b + ":" + c) == folder / "c/tool");
    CHECK(find_program("tool", a + ":" + b) == folder / "b/tool"); // to be named in the message
    CHECK(find_program("tool", a) == "");
    CHECK(find_program("tool", "a:c", folder / "") == folder / "c/tool");
    CHECK(find_program("./tool", a, c) == std::filesystem::path{c} / "./tool");
    CHECK(find_program("", c) == "");
}

TEST_CASE("a symbol is found in a file, and in a damaged one none or a wrong one") {
    constexpr const char* name = "gnu_get_libc_version"; // which no sanitizer replaces
    void* const address = ::dlsym(RTLD_DEFAULT, name);
    Dl_info libc{};
    REQUIRE(::dladdr(address, &libc) != 0);
    CHECK(static_cast<char*>(libc.dli_fbase) + find_in_file(libc.dli_fname, name) == address);
    CHECK(find_in_file(libc.dli_fname, "no such function") == 0);
    CHECK(find_in_file("/proc/self/status", name) == 0);
    const std::string bytes = read_file(libc.dli_fname).value_or("");
    std::mt19937 random{11};
    const std::filesystem::path damaged = std::filesystem::temp_directory_path() / "linn_damaged.so";
    for (int i = 0; i != 30; ++i) {
        std::string changed = bytes;
        for (std::size_t k = 0; k != 400; ++k) {
            const std::size_t at = random() % 2048; // of the headers of the file, or of those of its sections
            changed[k % 2 == 0 ? at : bytes.size() - 1 - at] = static_cast<char>(random());
        }
        std::ofstream{damaged, std::ios::binary} << changed;
        static_cast<void>(find_in_file(damaged, name));
    }
    std::filesystem::remove(damaged);
}

} // namespace linn::tool::target_tests
