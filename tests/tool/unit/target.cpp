// SPDX-License-Identifier: Apache-2.0
// What `linn run` knows of a program and gives to it, and what the preloaded probe says of every process of a run; the program does
// not notice it. Which programs are refused, and what becomes of their processes: run_cases.py.
#include "../support/flat_text.hpp"
#include "measure/files.hpp"
#include "program/executable.hpp"
#include "run/launch.hpp"
#include "scratch_folder.hpp"
#include "try/candidates.hpp"
#include "unit.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace linn::tool::target_tests {

using namespace linn::tool::testing;

// The small programs of tests/tool/programs, which lie next to this test, and how they are run.
std::filesystem::path built_file(std::string_view name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::filesystem::path victim() {
    return built_file("linn_tool_victim");
}

std::vector<std::string> own_environment() {
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        list.emplace_back(*entry);
    }
    return list;
}

launch_spec spec_of(const std::filesystem::path& program, std::vector<std::string> arguments) {
    launch_spec spec;
    spec.program = program;
    spec.arguments = std::move(arguments);
    spec.arguments.insert(spec.arguments.begin(), program.string());
    spec.environment = own_environment();
    spec.timeout = std::chrono::seconds{30};
    return spec;
}

observation run(const launch_spec& spec) {
    const interrupt_guard guard;
    return launch(spec, guard, [] {});
}

observation run_victim(std::vector<std::string> arguments) {
    return run(spec_of(victim(), std::move(arguments)));
}

observation run_shell(const std::string& script) {
    return run(spec_of("/bin/sh", {"-c", script}));
}

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

using ending = observation::ending;

std::string name_of(const process_proof& p, const char* function) {
    return std::filesystem::path{p.files.at(function)}.filename().string();
}

TEST_CASE("the program says who it is and who provides its memory") {
    const scratch_folder folder;
    launch_spec spec = spec_of(victim(), {"exit", "0"});
    spec.directory = std::filesystem::canonical(folder / "");
    spec.environment.push_back("LINN_TEST_GIVEN=1");
    const observation o = run(spec);
    REQUIRE(o.proofs.size() == 1);
    const process_proof& p = o.proofs.front();
    CHECK(p.is_main);
    CHECK(p.executable == std::filesystem::canonical(victim()));
    CHECK(p.name == std::string{"linn_tool_victim"}.substr(0, 15));
    CHECK(p.arguments == spec.arguments);
    CHECK(p.directory == spec.directory);
    CHECK(std::count(p.environment.begin(), p.environment.end(), "LINN_TEST_GIVEN=1") == 1);
    CHECK(name_of(p, "malloc") == "libc.so.6");
    CHECK(name_of(p, "free") == "libc.so.6");
    CHECK(name_of(p, "operator new") == ""); // it loads no C++ runtime
    CHECK_FALSE(p.preload_mapped);
}

TEST_CASE("a preloaded library is seen where it is in effect, and only there") {
    launch_spec spec = spec_of(built_file("linn_tool_allocates"), {});
    spec.library = built_file("liblinn_tool_malloc_only.so");
    const observation o = run(spec);
    REQUIRE(o.proofs.size() == 1);
    const process_proof& p = o.proofs.front();
    CHECK(p.preload_mapped);
    CHECK(p.files.at("malloc") == std::filesystem::canonical(spec.library).string());
    CHECK(p.files.at("free") == std::filesystem::canonical(spec.library).string());
    CHECK(name_of(p, "operator new").starts_with("libstdc++.so"));
    CHECK(p.files.at("operator delete") == p.files.at("operator new"));
    CHECK(p.files.at("sized operator delete") == p.files.at("operator new"));

    CHECK(std::filesystem::path{p.next_malloc}.filename() == "libc.so.6");
    spec.behind = built_file("liblinn_tool_malloc_only.so");
    spec.library = built_file("liblinn_tool_inert.so");
    CHECK(run(spec).proofs.at(0).files.at("malloc") == std::filesystem::canonical(spec.behind).string());
    spec.behind.clear();
    const observation inert = run(spec);
    REQUIRE(inert.proofs.size() == 1);
    CHECK(inert.proofs.front().preload_mapped);
    CHECK(name_of(inert.proofs.front(), "malloc") == "libc.so.6");

    spec.library = "/nonexistent.so";
    CHECK_FALSE(run(spec).proofs.at(0).preload_mapped);
}

TEST_CASE("litter is made before main, by the program alone, and is not its time") {
    const scratch_folder folder;
    launch_spec spec = spec_of("/bin/sh", {"-c", victim().string() + " exit 0; exit 0"});
    spec.litter = folder / "litter";
    spec.litter_seed = 7;
    write_litter({{64, 150'000}, {1000, 5'000}}, spec.litter);
    const observation o = run(spec);
    REQUIRE(o.proofs.size() == 2);
    const probe::litter& made = main_proof(o)->littered;
    CHECK(made.blocks == 155'000);
    CHECK(made.freed > 70'000);
    CHECK(made.freed < 85'000);
    CHECK(made.resident_bytes > 8u << 20);
    CHECK(o.values.at("peak_rss_bytes") > static_cast<double>(made.resident_bytes));
    CHECK(o.values.at("minor_faults") < static_cast<double>(made.minor_faults));
    for (const process_proof& p : o.proofs) {
        if (!p.is_main) {
            CHECK(p.littered.blocks == 0);
        }
    }

    const observation again = run(spec); // the same seed
    CHECK(main_proof(again)->littered.bytes == made.bytes);
    // Starting two programs can take long on a busy machine, but hardly twice.
    const auto own_ns = [](const observation& of) {
        return of.values.at("user_ns") + of.values.at("sys_ns");
    };
    CHECK(std::min(own_ns(o), own_ns(again)) < static_cast<double>(made.user_ns + made.sys_ns));
    spec.litter_seed = 8;
    CHECK(main_proof(run(spec))->littered.bytes != made.bytes);
    spec.litter = folder / "nothing";
    CHECK(main_proof(run(spec))->littered.blocks == 0);
}

TEST_CASE("a library whose path LD_PRELOAD cannot hold is loaded all the same") {
    const scratch_folder folder;
    const auto library = folder / "a b:c$LIB.so";
    std::filesystem::copy_file(built_file("liblinn_tool_malloc_only.so"), library);
    launch_spec spec = spec_of(victim(), {"exit", "0"});
    spec.library = library;
    const observation o = run(spec);
    REQUIRE(o.proofs.size() == 1);
    CHECK(o.proofs.front().preload_mapped);
    CHECK(o.proofs.front().files.at("malloc") == std::filesystem::canonical(library).string());
}

TEST_CASE("an allocator compiled into the program is told from one that is only called") {
    CHECK(run(spec_of(built_file("linn_tool_own_malloc"), {})).proofs.at(0).files.at("malloc") ==
          std::filesystem::canonical(built_file("linn_tool_own_malloc")).string());
    CHECK(name_of(run(spec_of(built_file("linn_tool_not_pie"), {})).proofs.at(0), "malloc") == "libc.so.6");
}

TEST_CASE("every exec is recorded, a mere fork is not") {
    const observation chain = run(spec_of("/bin/sh", {"-c", "exec " + victim().string() + " exit 0"}));
    REQUIRE(chain.proofs.size() == 2);
    CHECK(chain.proofs[0].is_main);
    CHECK(chain.proofs[1].is_main);
    CHECK(chain.proofs[1].executable == std::filesystem::canonical(victim()));
    CHECK(chain.last_name == chain.proofs[1].name);

    const observation child = run_shell(victim().string() + " exit 0; exit 0");
    REQUIRE(child.proofs.size() == 2);
    CHECK_FALSE(child.proofs[1].is_main);
    CHECK(child.proofs[1].environment.empty());

    CHECK(run_victim({"fork", "20"}).proofs.size() == 1);
}

TEST_CASE("the program's own exec is recorded however much its children say") {
    // About 0.5 KiB a record: two thousand and more would pass the limit of 1 MiB.
    const std::string argument(40'000, 'x');
    const observation o = run_shell("for i in $(seq 100); do " + victim().string() + " exit 0 " + argument +
                                    "; done; exec " + victim().string() + " exit 0");
    CHECK(o.proofs.size() < 60);
    CHECK(o.proofs.back().is_main);
    CHECK(o.proofs.back().executable == std::filesystem::canonical(victim()));
}

TEST_CASE("a program that hides itself is recorded too") {
    const observation o = run_victim({"undumpable"});
    CHECK(o.how == ending::exited);
    REQUIRE(o.proofs.size() == 2);
    CHECK(o.proofs[1].executable == std::filesystem::canonical(victim()));
}

} // namespace linn::tool::target_tests
