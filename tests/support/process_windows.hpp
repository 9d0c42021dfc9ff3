// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_PROCESS_WINDOWS_HPP
#define LINN_TESTS_SUPPORT_PROCESS_WINDOWS_HPP

/// @file
/// The part of process.hpp that asks the system, for Windows. There is no fork: a child is this program
/// started again, told by its environment which of its run_child calls to be. The others do nothing there.

#ifndef LINN_TESTS_SUPPORT_PROCESS_HPP
#error include process.hpp
#endif

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
// clang-format off: psapi.h needs windows.h before it
#include <windows.h>
#include <psapi.h>
// clang-format on
#include <io.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace linn_test {

/// Bytes of this process in memory now.
[[nodiscard]] inline std::size_t rss_bytes() noexcept {
    ::PROCESS_MEMORY_COUNTERS counters{};
    CHECK(::K32GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof counters) != 0);
    return counters.WorkingSetSize;
}

/// Whether this is not Windows, but Wine.
[[nodiscard]] inline bool on_wine() noexcept {
    return linn::detail::windows::is_wine();
}

struct child_result {
    bool ran = true;   ///< false in a child, for the other children
    int status = 0;    ///< its exit code
    std::string error; ///< what it wrote to standard error, and to standard output

    [[nodiscard]] bool exited_with(int code) const noexcept { return !ran || status == code; }
    [[nodiscard]] bool killed_by(int number) const noexcept {
        return !ran || status == (number == SIGABRT ? 3 : static_cast<int>(0xc0000005U));
    }
    [[nodiscard]] bool says(std::string_view text) const noexcept {
        return !ran || error.find(text) != std::string::npos;
    }
    void expect(bool as_expected, const char* what) const {
        if (ran && !as_expected) {
            std::fprintf(stderr, "child: %s: exit code %d; it wrote:\n%s\n", what, status, error.c_str());
            std::exit(1);
        }
    }
    void expect_success(const char* what) const { expect(exited_with(0), what); }
};

inline int run_child_calls = 0;

/// Runs `body` in a child, then `exit(0)` with all that happens there.
template <class Body>
[[nodiscard]] child_result run_child(Body&& body, unsigned = 0) {
    const int ordinal = ++run_child_calls;
    if (const char* chosen = std::getenv("LINN_TEST_CHILD")) {
        if (std::atoi(chosen) == ordinal) {
            std::fflush(nullptr);
            body();
            std::exit(0);
        }
        return {.ran = false, .status = 0, .error = {}};
    }
    std::fflush(nullptr);
    child_result result;
    char program[MAX_PATH];
    CHECK(::GetModuleFileNameA(nullptr, program, sizeof program) != 0);
    ::_putenv_s("LINN_TEST_CHILD", std::to_string(ordinal).c_str());
    std::FILE* output = ::_popen(('"' + std::string{program} + "\" 2>&1").c_str(), "r");
    CHECK(output != nullptr);
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, output)) != 0;) {
        result.error.append(buffer, n);
    }
    result.status = ::_pclose(output);
    ::_putenv_s("LINN_TEST_CHILD", "");
    return result;
}

/// Says something from a place where only a system call is safe.
inline void say(std::string_view text) noexcept {
    CHECK(::_write(2, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
}

} // namespace linn_test

#endif
