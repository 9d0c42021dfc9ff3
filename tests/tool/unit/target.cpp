// SPDX-License-Identifier: Apache-2.0
// Which program is measured in the end, and which ones are refused and why.
#include "run/target.hpp"

#include "measure/files.hpp"
#include "program/executable.hpp"
#include "programs.hpp"
#include "unit.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

namespace linn::tool::target_tests {

using namespace linn::tool::testing;
using namespace std::chrono_literals;

target find(const std::vector<std::string>& command, bool keep_wrappers = false,
            bool ignore_exit_status = false, launch_spec options = {}) {
    const interrupt_guard guard;
    return find_target(command, options, keep_wrappers, ignore_exit_status, guard, [] {});
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST_CASE("a plain program is measured as it was named") {
    const target t = find({victim().string(), "exit", "0"});
    CHECK(t.problem == "");
    CHECK(t.spec.program == victim());
    CHECK(t.spec.arguments == std::vector<std::string>{victim().string(), "exit", "0"});
    CHECK(t.spec.directory == std::filesystem::current_path());
    CHECK(t.wrappers.empty());
    CHECK(t.also_ran.empty());
    CHECK(t.remarks.empty());
    CHECK(std::filesystem::path{t.own_provider}.filename() == "libc.so.6");
    CHECK(t.first.how == observation::ending::exited);
    CHECK(find({built_file("linn_tool_not_pie").string()}).problem == "");
    CHECK(find({"true"}).problem == ""); // on PATH
}

TEST_CASE("wrappers are left out, with what they set kept") {
    const scratch_folder folder;
    const auto script = folder.file(
        "wrapper", "#!/bin/sh\ncd /\nexport WRAPPED=1\nexec env FROM_ENV=1 nice -n 0 \"$@\"\n", true);
    const std::vector<std::string> command{script.string(), victim().string(), "exit", "0"};
    const target t = find(command);
    CHECK(t.problem == "");
    CHECK(t.spec.program == victim());
    CHECK(t.spec.arguments == std::vector<std::string>{victim().string(), "exit", "0"});
    CHECK(t.spec.directory == "/");
    CHECK(variable_of(t.spec.environment, "WRAPPED") == "1");
    CHECK(variable_of(t.spec.environment, "FROM_ENV") == "1");
    for (const std::string& entry : t.spec.environment) {
        CHECK_FALSE(entry.starts_with("LD_PRELOAD="));
        CHECK_FALSE(entry.starts_with("LINN_PROBE="));
    }
    CHECK(t.wrappers.size() == 3);
    CHECK(run(t.spec).proofs.size() == 1);

    const target kept = find(command, true);
    CHECK(kept.problem == "");
    CHECK(kept.spec.program == script);
    CHECK(kept.wrappers.size() == 3);
}

TEST_CASE("a program is started by the name it was called, where that is the same file") {
    const scratch_folder folder;
    std::filesystem::create_symlink(victim(), folder / "alias");
    const target t = find({"env", (folder / "alias").string(), "exit", "0"});
    CHECK(t.problem == "");
    CHECK(t.spec.program == folder / "alias");
}

TEST_CASE("children are named, and are no wrappers") {
    const target t = find({"/bin/sh", "-c", victim().string() + " exit 0; exit 0"});
    CHECK(t.problem == "");
    CHECK(t.wrappers.empty());
    CHECK(t.also_ran == std::vector<std::string>{std::filesystem::canonical(victim()).string()});
}

TEST_CASE("what is not there or no program is a usage error with its name") {
    const scratch_folder folder;
    const auto plain = folder.file("plain", "text");
    const auto text = folder.file("text", "text", true);
    const auto empty = folder.file("empty", "", true);
    const auto no_interpreter = folder.file("no-interpreter", "#!/nonexistent/sh -e\n", true);
    const auto windows = folder.file("windows", "#!/bin/sh\r\nexit\r\n", true);
    const std::pair<std::string, std::string> cases[] = {
        {"linn-no-such-program", "linn-no-such-program: no such program on PATH"},
        {"/nonexistent/program", "/nonexistent/program: no such program"},
        {"/usr", "/usr is a directory"},
        {plain.string(), "plain is not executable: chmod +x"},
        {text.string(), "text is neither a program nor a script"},
        {empty.string(), "empty is an empty file"},
        {no_interpreter.string(), "its interpreter /nonexistent/sh does not exist"},
        {windows.string(), "ends as on Windows"}};
    for (const auto& [command, part] : cases) {
        CAPTURE(command);
        const target t = find({command});
        CAPTURE(t.problem);
        CHECK(holds(t.problem, part));
        CHECK(t.is_usage_error);
    }
    CHECK(find({}).is_usage_error);
    launch_spec options;
    options.input = "/nonexistent/input";
    const target t = find({victim().string()}, false, false, options);
    CHECK(holds(t.problem, "the input /nonexistent/input: No such file"));
    CHECK(t.is_usage_error);
}

TEST_CASE("a program of another machine is named as such") {
    const scratch_folder folder;
    char header[64] = "\x7f"
                      "ELF\x02\x01\x01";
    header[16] = 2;
    header[18] = static_cast<char>(0xf3); // RISC-V
    header[20] = 1;
    const auto file = folder.file("foreign", {header, sizeof header}, true);
    CHECK(holds(find({file.string()}).problem, "foreign was built for another machine: RISC-V"));
    // The same cut short, at every length.
    for (std::size_t size = 1; size != sizeof header; ++size) {
        CHECK(find({folder.file("short", {header, size}, true).string()}).problem != "");
    }
}

TEST_CASE("a static program is refused, also behind a wrapper and where the environment is cleared") {
    const std::string file = built_file("linn_tool_static").string();
    if (!std::filesystem::exists(file)) {
        MESSAGE("no static C library here");
        return;
    }
    const scratch_folder folder;
    const std::string script = folder.file("wrapper", "#!/bin/sh\nexec " + file + " exit 0\n", true).string();
    CHECK(holds(find({file}).problem, "linn_tool_static is statically linked"));
    CHECK_FALSE(find({file}).is_usage_error);
    CHECK(holds(find({"env", file, "exit", "0"}).problem, "linn_tool_static is statically linked"));
    CHECK(holds(find({script}).problem, "becomes another program, linn_tool_stati,"));
}

TEST_CASE("a program that starts with a cleared environment is refused") {
    CHECK(holds(find({"env", "-i", victim().string(), "exit", "0"}).problem,
                "env becomes another program, linn_tool_victi,"));
    CHECK(find({victim().string(), "rename"}).problem == ""); // this one only calls itself otherwise
}

TEST_CASE("a program with a sanitizer is refused by its name") {
    const std::string file = built_file("linn_tool_sanitized").string();
    if (std::filesystem::exists(file)) {
        CHECK(holds(find({file}).problem, "was built with AddressSanitizer"));
    } else {
        MESSAGE("this compiler has no AddressSanitizer");
    }
}

TEST_CASE("a program with foreign privileges is refused") {
    const scratch_folder folder;
    const auto file = folder / "privileged";
    std::filesystem::copy_file(victim(), file);
    if (::geteuid() != 0) {
        MESSAGE("only root can make a setuid program of somebody else");
        return;
    }
    REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
    REQUIRE(::chmod(file.c_str(), 04755) == 0);
    CHECK(holds(find({file.string()}).problem, "has privileges of its own (setuid)"));
    REQUIRE(::chmod(file.c_str(), 02755) == 0);
    CHECK(holds(find({file.string()}).problem, "has privileges of its own (setgid)"));
}

TEST_CASE("a first run that goes wrong is told with its last words") {
    const std::string file = victim().string();
    const target failed = find({"/bin/sh", "-c", "echo this is why >&2; exit 3"});
    CHECK(holds(failed.problem, "fails (exit status 3) even with the default allocator"));
    CHECK(holds(failed.problem, "--ignore-exit-status"));
    CHECK(holds(failed.problem, "--input FILE"));
    CHECK(holds(failed.problem, "this is why"));
    CHECK_FALSE(failed.is_usage_error);
    CHECK(find({file, "exit", "3"}, false, true).problem == "");
    CHECK(holds(find({file, "crash"}).problem, "killed by SIGSEGV"));
    CHECK(holds(find({file, "stop"}).problem, "needs a terminal"));
    launch_spec options;
    options.timeout = 300ms;
    CHECK(holds(find({file, "hang"}, false, false, options).problem, "timed out after 0.3 s"));
}

TEST_CASE("programs with heaps of their own are remarked on") {
    process_proof p;
    p.executable = "/usr/bin/python3.11";
    CHECK(remarks_on(p, {}).size() == 1);
    CHECK(holds(remarks_on(p, {}).at(0), "PYTHONMALLOC=malloc"));
    p.environment = {"PYTHONMALLOC=malloc"};
    CHECK(remarks_on(p, {}).empty());
    p.executable = "/usr/bin/node";
    CHECK(holds(remarks_on(p, {}).at(0), "V8"));
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
