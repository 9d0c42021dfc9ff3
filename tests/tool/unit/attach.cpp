// SPDX-License-Identifier: Apache-2.0
// What linn reads of a process before it attaches, the memory of a process that means no good included.
#include "record/attach/attachable.hpp"
#include "record/attach/process_memory.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <elf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace linn::tool::attach_tests {

using namespace linn::tool::attach;

std::uint64_t address_of(const void* object) {
    return reinterpret_cast<std::uint64_t>(object);
}

/// Where the C library's file begins.
std::uint64_t c_library() {
    for (const mapping& m : read_mappings(::getpid())) {
        if (m.offset == 0 && file_name(m).starts_with("libc.so")) {
            return m.begin;
        }
    }
    return 0;
}

TEST_CASE("mappings tell where an address lies") {
    const std::vector<mapping> all = read_mappings(::getpid());
    const mapping* const code = mapping_at(all, address_of(reinterpret_cast<const void*>(&c_library)));
    REQUIRE(code != nullptr);
    CHECK(code->is_code);
    CHECK(mapping_at(all, 1) == nullptr);
    CHECK(mapping_at(all, ~std::uint64_t{0}) == nullptr);
    int local = 0;
    REQUIRE(mapping_at(all, address_of(&local)) != nullptr);
    CHECK(file_name(*mapping_at(all, address_of(&local))) == "[stack]");
    mapping deleted;
    deleted.path = "/lib/libc.so.6 (deleted)";
    CHECK(file_name(deleted) == "libc.so.6");
    CHECK(read_mappings(0).empty());
}

TEST_CASE("symbols are read from a process") {
    const process_memory memory{::getpid()};
    const mapped_symbols symbols{memory, c_library()};
    CHECK(symbols.find("dlopen") != 0);
    CHECK(symbols.find("no such function") == 0);
    const auto poll_at = symbols.find("poll");
    const std::vector<std::string> names = symbols.covering(poll_at + 3);
    CHECK(std::find(names.begin(), names.end(), "poll") != names.end());
}

TEST_CASE("a file that is damaged in memory has no symbols, or wrong ones") {
    const process_memory memory{::getpid()};
    std::vector<unsigned char> page(4096);
    REQUIRE(memory.read(c_library(), page.data(), page.size()));
    CHECK(mapped_symbols{memory, 0}.find("malloc") == 0);
    CHECK(mapped_symbols{memory, address_of(page.data()) + 1}.find("malloc") == 0);
    std::mt19937 random{11};
    for (int i = 0; i != 300; ++i) {
        std::vector<unsigned char> damaged = page;
        for (int k = 0; k != 4; ++k) {
            damaged[random() % 1024] = static_cast<unsigned char>(random());
        }
        static_cast<void>(mapped_symbols{memory, address_of(damaged.data())}.find("malloc"));
    }
    // Numbers that no memory has room for.
    auto header = reinterpret_cast<Elf64_Ehdr*>(page.data());
    auto segments = reinterpret_cast<Elf64_Phdr*>(page.data() + header->e_phoff);
    for (int i = 0; i != header->e_phnum; ++i) {
        if (segments[i].p_type == PT_DYNAMIC) {
            segments[i].p_memsz = ~std::uint64_t{0};
        }
    }
    CHECK(mapped_symbols{memory, address_of(page.data())}.find("malloc") == 0);
}

TEST_CASE("memory that is not there is neither read nor written") {
    const process_memory memory{::getpid()};
    int value = 5;
    CHECK_FALSE(memory.get<int>(16));
    CHECK_FALSE(memory.write(16, &value, sizeof value));
    CHECK(memory.get<int>(address_of(&value)) == 5);
    CHECK_FALSE(process_memory{0}.get<int>(address_of(&value)));
}

TEST_CASE("what is no process is a usage error") {
    CHECK(examine_process(::getpid()).is_usage_error);
    CHECK(examine_process(1 << 28).problem == "there is no process 268435456");
    pid_t thread = 0;
    std::string problem;
    std::thread{[&] {
        thread = static_cast<pid_t>(::syscall(SYS_gettid));
        problem = examine_process(thread).problem;
    }}.join();
    CHECK(problem.find("is a thread of process") != std::string::npos);
    CHECK(time_used_by(1 << 28).user_ns == 0);
}

} // namespace linn::tool::attach_tests
