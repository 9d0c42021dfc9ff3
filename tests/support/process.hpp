// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_PROCESS_HPP
#define LINN_TESTS_SUPPORT_PROCESS_HPP

/// @file
/// What tests of whole processes share. No framework: one that allocates or that registers exit
/// handlers would hide exactly the errors of start-up and exit that these tests look for.

#include "threads.hpp"

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>

#if defined(_WIN32)
#include <process.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// Ends the process at once, so that it also works in destructors after main, and in children.
#define CHECK(...)                                                                                           \
    do {                                                                                                     \
        if (!(__VA_ARGS__)) [[unlikely]] {                                                                   \
            ::linn_test::fail(__FILE__, __LINE__, #__VA_ARGS__);                                             \
        }                                                                                                    \
    } while (false)

/// CHECK(a <= b) that shows the numbers.
#define CHECK_AT_MOST(value, bound)                                                                          \
    ::linn_test::check_at_most(__FILE__, __LINE__, #value, static_cast<double>(value),                       \
                               static_cast<double>(bound))

namespace linn_test {

[[noreturn]] inline void fail(const char* file, int line, const char* what) noexcept {
    std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    std::fflush(stderr);
    ::_exit(1);
}

inline void check_at_most(const char* file, int line, const char* what, double value, double bound) noexcept {
    if (!(value <= bound)) {
        std::fprintf(stderr, "%s:%d: failed: %s is %.0f, more than %.0f\n", file, line, what, value, bound);
        std::fflush(stderr);
        ::_exit(1);
    }
}

/// Exit status that ctest shows as "skipped".
inline constexpr int skipped = 77;

[[nodiscard]] inline int skip(const char* why) noexcept {
    std::printf("linn: skipped: %s\n", why);
    return skipped;
}

// --- what this build is ------------------------------------------------------------------------

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LINN_TEST_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define LINN_TEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define LINN_TEST_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define LINN_TEST_TSAN 1
#endif

#ifdef LINN_TEST_ASAN
inline constexpr bool asan = true;
#else
inline constexpr bool asan = false;
#endif
#ifdef LINN_TEST_TSAN
inline constexpr bool tsan = true;
#else
inline constexpr bool tsan = false;
#endif
#ifdef __OPTIMIZE__
inline constexpr bool optimised = true;
#else
inline constexpr bool optimised = false;
#endif

/// How many times slower programs are here, as the leg says.
#ifdef LINN_TEST_SLOWDOWN
inline constexpr unsigned slowdown = LINN_TEST_SLOWDOWN;
#else
inline constexpr unsigned slowdown = 1;
#endif

[[nodiscard]] inline bool on_memcheck() noexcept {
    return linn::detail::running_on_memcheck();
}

/// Whether objects lie in slabs here; otherwise each is an `operator new` and a memory checker
/// watches it, so statements about slabs and their memory mean nothing.
[[nodiscard]] inline bool in_slabs() noexcept {
    return !linn::detail::sanitizer_bypass && !on_memcheck() && !linn::detail::running_on_race_checker();
}

/// Whether threads hold magazines here; a checked build gives each object back at once.
[[nodiscard]] inline bool cached() noexcept {
    return in_slabs() && !linn::detail::checked_build && linn::detail::thread_locals_last;
}

/// Whether resident memory is the program's own: sanitizers add shadow, quarantine and histories, checked
/// builds guards around each object.
[[nodiscard]] inline bool rss_is_ours() noexcept {
    return !linn::detail::checked_build && !asan && !tsan && !on_memcheck();
}

/// `n` where code runs at full speed, less where a tool slows it down.
[[nodiscard]] inline std::size_t scaled(std::size_t n) noexcept {
    const bool slow = on_memcheck() || linn::detail::checked_build; // stacks are walked at each call
    const std::size_t by = (slow ? 200 : (tsan ? 50 : (asan ? 20 : (optimised ? 1 : 10)))) * slowdown;
    return n / by != 0 ? n / by : 1;
}

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

[[nodiscard]] inline std::size_t grown(std::size_t now, std::size_t before) noexcept {
    return now > before ? now - before : 0;
}

} // namespace linn_test

#if defined(_WIN32)
#include "process_windows.hpp"
#else
namespace linn_test {

// --- memory --------------------------------------------------------------------------------------

/// Bytes of this process in memory now. Reads without allocating.
[[nodiscard]] inline std::size_t rss_bytes() noexcept {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    CHECK(file != nullptr);
    std::size_t total = 0;
    std::size_t resident = 0;
    CHECK(std::fscanf(file, "%zu %zu", &total, &resident) == 2);
    std::fclose(file);
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

[[nodiscard]] constexpr bool on_wine() noexcept {
    return false;
}

// --- children ------------------------------------------------------------------------------------

struct child_result {
    int status = 0;    ///< as waitpid gives it
    std::string error; ///< what it wrote to standard error

    [[nodiscard]] bool exited_with(int code) const noexcept {
        return WIFEXITED(status) && WEXITSTATUS(status) == code;
    }
    [[nodiscard]] bool killed_by(int number) const noexcept {
        return WIFSIGNALED(status) && WTERMSIG(status) == number;
    }
    [[nodiscard]] bool says(std::string_view text) const noexcept {
        return error.find(text) != std::string::npos;
    }
    /// Shows what happened when it is not what was expected.
    void expect(bool as_expected, const char* what) const {
        if (!as_expected) {
            std::fprintf(stderr, "child: %s: %s %d; it wrote:\n%s\n", what,
                         WIFSIGNALED(status) ? "signal" : "exit status",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), error.c_str());
            std::exit(1);
        }
    }
    void expect_success(const char* what) const { expect(exited_with(0), what); }
};

inline constexpr unsigned child_seconds = 60 * slowdown;

/// Runs `body` in a child, then `exit(0)` with all that happens there. A child that hangs dies of
/// SIGALRM, so a deadlock is a failure and not a timeout of the whole test.
template <class Body>
[[nodiscard]] child_result run_child(Body&& body, unsigned seconds = child_seconds) {
    int ends[2];
    CHECK(::pipe(ends) == 0);
    std::fflush(nullptr);
    const ::pid_t pid = ::fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        ::close(ends[0]);
        ::dup2(ends[1], 2);
        ::close(ends[1]);
        ::alarm(seconds);
        body();
        std::exit(0);
    }
    ::close(ends[1]);
    child_result result;
    char buffer[4096];
    ::ssize_t n = 0;
    while ((n = ::read(ends[0], buffer, sizeof buffer)) > 0) {
        result.error.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(ends[0]);
    CHECK(::waitpid(pid, &result.status, 0) == pid);
    return result;
}

/// Why this program cannot run itself under Valgrind; null: it can.
[[nodiscard]] inline const char* why_no_valgrind() noexcept {
#if !defined(__x86_64__) && !defined(__aarch64__)
    return "Linn does not recognise Valgrind on this processor";
#elif !defined(__GLIBC__)
    return "Valgrind does not see malloc in a program that is linked statically";
#else
    return asan || tsan                                             ? "sanitizers do not run under valgrind"
           : on_memcheck()                                          ? "under valgrind already"
           : std::system("valgrind --version >/dev/null 2>&1") != 0 ? "valgrind is not installed"
                                                                    : nullptr;
#endif
}

/// So that no pointer survives there, for LeakSanitizer.
[[gnu::noinline]] inline void overwrite_the_stack() {
    volatile char bytes[16384];
    for (volatile char& byte : bytes) {
        byte = 0;
    }
}

/// Says something from a place where only a system call is safe.
inline void say(std::string_view text) noexcept {
    CHECK(::write(2, text.data(), text.size()) == static_cast<::ssize_t>(text.size()));
}

/// Forks as a threaded program does, calls `in_the_child` there, and checks that it ends well and in time.
/// Unlike run_child it calls no exit(), which would run the destructors of a process whose threads are gone.
template <class F>
void check_forked(F&& in_the_child) {
    std::fflush(nullptr);
    const ::pid_t pid = ::fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        ::alarm(20 * slowdown);
        in_the_child();
        ::_exit(0);
    }
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)); // a deadlock
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace linn_test
#endif

#endif
