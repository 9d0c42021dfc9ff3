// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: over files that were kept, and over inputs made by a seeded generator until enough
// operations were performed. An input that ends the program is written to a file first; that file replays it.
#include "operations.hpp"
#include "random.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// So that a sanitizer's report passes by on_death, too.
extern "C" const char* __asan_default_options() {
    return "abort_on_error=1:handle_abort=0:detect_leaks=1";
}
extern "C" const char* __ubsan_default_options() {
    return "abort_on_error=1:print_stacktrace=1";
}

namespace {

using bytes = std::vector<std::uint8_t>;

// Read by a signal handler.
const bytes* current = nullptr;
char failure_file[512] = "failed-input.bin";

void say(const char* text) {
    [[maybe_unused]] const auto written = ::write(2, text, std::strlen(text));
}

extern "C" void on_death(int signal) {
    if (current != nullptr) {
        const int file = ::open(failure_file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
        const auto written = ::write(file, current->data(), current->size());
        say(written == static_cast<ssize_t>(current->size()) ? "linn fuzz: the input is kept in "
                                                             : "linn fuzz: cannot write ");
        say(failure_file);
        say("\n");
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run(const bytes& input) {
    current = &input;
    LLVMFuzzerTestOneInput(input.data(), input.size());
    current = nullptr;
}

std::size_t run_file(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    run(bytes{std::istreambuf_iterator<char>{in}, {}});
    return 1;
}

std::size_t run_files(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) {
        return run_file(path);
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator{path}) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::size_t n = 0;
    for (const auto& file : files) {
        n += run_file(file);
    }
    return n;
}

/// Lengths spread evenly over orders of magnitude: short inputs begin and end often, long ones grow the state.
bytes generated(std::uint64_t seed) {
    linn_test::random_source random{seed};
    bytes all((std::size_t{16} << random.below(11)) + random.below(16));
    for (std::uint8_t& b : all) {
        b = static_cast<std::uint8_t>(random());
    }
    return all;
}

[[noreturn]] void usage() {
    std::fputs("usage: REPLAY [--operations N] [--seed S] [--kept FILE] [--must-fail] [FILE OR FOLDER]...\n"
               "Replays kept inputs, then makes inputs until N operations were performed.\n"
               "FILE is where an input goes that ends the program; failed-input.bin if not given.\n",
               stderr);
    std::exit(2);
}

std::uint64_t number(const char* text) {
    char* end = nullptr;
    const std::uint64_t n = std::strtoull(text, &end, 10);
    if (end == text || *end != '\0') {
        usage();
    }
    return n;
}

struct settings {
    std::uint64_t wanted = 0;
    std::uint64_t seed = 1;
    bool must_fail = false;
    std::vector<std::filesystem::path> paths;
};

settings read_arguments(int argc, char** argv) {
    settings s;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const bool has_value = word == "--operations" || word == "--seed" || word == "--kept";
        if (has_value && i + 1 == argc) {
            usage();
        }
        if (word == "--operations") {
            s.wanted = number(argv[++i]);
        } else if (word == "--seed") {
            s.seed = number(argv[++i]);
        } else if (word == "--kept") {
            std::snprintf(failure_file, sizeof failure_file, "%s", argv[++i]);
        } else if (word == "--must-fail") {
            s.must_fail = true;
        } else if (word.starts_with("-")) {
            usage();
        } else {
            s.paths.emplace_back(word);
        }
    }
    return s;
}

int replay(const settings& s) {
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
        std::signal(signal, &on_death);
    }
    std::size_t files = 0;
    for (const auto& path : s.paths) {
        if (!std::filesystem::exists(path)) {
            std::fprintf(stderr, "linn fuzz: there is no %s\n", path.c_str());
            return 2;
        }
        files += run_files(path);
    }
    const std::uint64_t replayed = linn_fuzz::operations_performed;
    std::uint64_t inputs = 0;
    while (linn_fuzz::operations_performed - replayed < s.wanted) {
        // Far apart, so that runs with neighbouring seeds share no input.
        run(generated(s.seed * 0x100000001b3U + inputs++));
    }
    std::printf("%zu files, %llu operations; %llu generated inputs, %llu operations\n", files,
                static_cast<unsigned long long>(replayed), static_cast<unsigned long long>(inputs),
                static_cast<unsigned long long>(linn_fuzz::operations_performed - replayed));
    return 0;
}

int expect_failure(const settings& s) {
    const pid_t child = ::fork();
    if (child == 0) {
        const int status = replay(s);
        std::fflush(nullptr);
        ::_exit(status);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
        std::perror("linn fuzz: fork");
        return 2;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
        std::puts("the mistake was noticed");
        return 0;
    }
    std::fprintf(stderr, "linn fuzz: the mistake was not noticed: status %d\n", status);
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    const settings s = read_arguments(argc, argv);
    return s.must_fail ? expect_failure(s) : replay(s);
}
