// SPDX-License-Identifier: Apache-2.0
// What linn reads of a process before it attaches, and of its files, damaged ones included.
#include "measure/files.hpp"
#include "program/executable.hpp"
#include "record/attach/process.hpp"
#include "unit.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace linn::tool::attach_tests {

using namespace linn::tool::attach;

TEST_CASE("a symbol is found in a file, and in a damaged one none or a wrong one") {
    const auto of_libc = [](const mapping& m) { return m.offset == 0 && m.is_libc(); };
    const std::vector<mapping> all = read_mappings(::getpid());
    const auto file = std::find_if(all.begin(), all.end(), of_libc);
    REQUIRE(file != all.end());
    constexpr const char* name = "gnu_get_libc_version"; // which no sanitizer replaces
    CHECK(file->begin + find_in_file(file->path, name) ==
          reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, name)));
    CHECK(find_in_file(file->path, "no such function") == 0);
    CHECK(find_in_file("/proc/self/status", name) == 0);
    const std::string bytes = read_file(file->path).value_or("");
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

TEST_CASE("what is no process is a usage error") {
    CHECK(examine_process(1 << 28).problem == "there is no process 268435456");
    std::thread{[] { CHECK(examine_process(static_cast<pid_t>(::syscall(SYS_gettid))).is_usage_error); }}.join();
    CHECK(time_used_by(1 << 28).user_ns == 0);
}

} // namespace linn::tool::attach_tests
