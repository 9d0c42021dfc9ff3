// SPDX-License-Identifier: Apache-2.0
// What linn reads of a process before it attaches, the memory of a process that means no good included.
#include "record/attach/process.hpp"
#include "unit.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace linn::tool::attach_tests {

using namespace linn::tool::attach;

TEST_CASE("symbols are read from a process, and from a file that is damaged in memory none, or wrong ones") {
    const process_memory memory{::getpid()};
    const std::vector<mapping> all = read_mappings(::getpid());
    const auto file = std::find_if(all.begin(), all.end(), [](const mapping& m) {
        return m.offset == 0 && m.file_name().starts_with("libc.so");
    });
    REQUIRE(file != all.end());
    const std::uint64_t found = find_symbol(memory, file->begin, "dlopen");
    REQUIRE(mapping_at(all, found) != nullptr);
    CHECK(mapping_at(all, found)->path == file->path);
    CHECK(find_symbol(memory, file->begin, "no such function") == 0);
    CHECK(find_symbol(memory, 0, "malloc") == 0);
    std::vector<unsigned char> page(4096);
    REQUIRE(memory.read(file->begin, page.data(), page.size()));
    std::mt19937 random{11};
    for (int i = 0; i != 300; ++i) {
        std::vector<unsigned char> damaged = page;
        for (int k = 0; k != 4; ++k) {
            damaged[random() % 1024] = static_cast<unsigned char>(random());
        }
        static_cast<void>(find_symbol(memory, reinterpret_cast<std::uint64_t>(damaged.data()), "malloc"));
    }
}

TEST_CASE("what is no process is a usage error") {
    CHECK(examine_process(::getpid()).is_usage_error);
    CHECK(examine_process(1 << 28).problem == "there is no process 268435456");
    std::string problem;
    std::thread{[&] { problem = examine_process(static_cast<pid_t>(::syscall(SYS_gettid))).problem; }}.join();
    CHECK(problem.find("is a thread of process") != std::string::npos);
    CHECK(time_used_by(1 << 28).user_ns == 0);
}

} // namespace linn::tool::attach_tests
