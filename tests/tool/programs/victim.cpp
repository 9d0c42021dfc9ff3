// SPDX-License-Identifier: Apache-2.0
// A program that does what its first argument says, for the tests of `linn run`. It needs no C++ runtime.
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

volatile sig_atomic_t asked_to_end = 0;

extern "C" void note(int) {
    asked_to_end = 1;
}

void sleep_ms(long ms) {
    usleep(static_cast<useconds_t>(ms * 1000));
}

/// Writes the process's number to a file, whole or not at all, and hangs.
[[noreturn]] void hang(const char* file) {
    if (file != nullptr) {
        char name[4096];
        std::snprintf(name, sizeof name, "%s.new", file);
        if (FILE* const f = std::fopen(name, "w")) {
            std::fprintf(f, "%d\n", static_cast<int>(getpid()));
            std::fclose(f);
            std::rename(name, file);
        }
    }
    for (;;) {
        pause();
    }
}

void wait_for(const char* file) {
    while (access(file, F_OK) != 0) {
        sleep_ms(2);
    }
}

int touch(std::size_t bytes) {
    char* const p = static_cast<char*>(std::malloc(bytes));
    if (p == nullptr) {
        return 1;
    }
    std::memset(p, 1, bytes);
    const int sum = p[bytes / 2];
    std::free(p);
    return sum - 1;
}

/// A child that outlives this process: "child" in the same group, "session" in its own, "daemon" after two forks.
int leave(const char* how, const char* file) {
    if (fork() == 0) {
        if (std::strcmp(how, "child") != 0) {
            setsid();
        }
        if (std::strcmp(how, "daemon") == 0 && fork() != 0) {
            _exit(0);
        }
        hang(file);
    }
    wait_for(file);
    return 0;
}

int fork_many(int count) {
    for (int i = 0; i != count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(touch(1 << 16));
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            return 1;
        }
    }
    return 0;
}

void print_descriptors() {
    DIR* const d = opendir("/proc/self/fd");
    while (const dirent* const e = d != nullptr ? readdir(d) : nullptr) {
        if (e->d_name[0] != '.' && std::atoi(e->d_name) != dirfd(d)) {
            std::printf("%s ", e->d_name);
        }
    }
    std::puts("");
}

int serve(const char* ready) {
    struct sigaction action{};
    action.sa_handler = note;
    sigaction(SIGTERM, &action, nullptr);
    sigset_t term;
    sigset_t old;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &old);
    if (FILE* const f = std::fopen(ready, "w")) {
        std::fclose(f);
    }
    while (asked_to_end == 0) {
        sigsuspend(&old);
    }
    std::puts("served");
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    const auto is = [&](const char* mode) { return count > 1 && std::strcmp(arguments[1], mode) == 0; };
    const char* const file = count > 2 ? arguments[2] : nullptr;
    const int number = count > 2 ? std::atoi(arguments[2]) : 0;
    if (is("crash")) {
        raise(SIGSEGV);
    } else if (is("exit")) {
        return number;
    } else if (is("say")) {
        return std::printf("out %s\n", arguments[2]) < 0 ||
               std::fprintf(stderr, "err %s\n", arguments[2]) < 0;
    } else if (is("child") || is("session") || is("daemon")) {
        return leave(arguments[1], file);
    } else if (is("hang")) {
        hang(file);
    } else if (is("stubborn_family") && signal(SIGTERM, SIG_IGN) != SIG_ERR) {
        return leave("daemon", file), hang(nullptr), 0;
    } else if (is("flood")) {
        for (char block[4096] = {};;) {
            std::fwrite(block, 1, sizeof block, stdout);
        }
    } else if (is("cat")) {
        for (int c = std::getchar(); c != EOF; c = std::getchar()) {
            std::putchar(c);
        }
    } else if (is("touch")) {
        return touch(static_cast<std::size_t>(number) << 20);
    } else if (is("fork")) {
        return fork_many(number);
    } else if (is("descriptors")) {
        print_descriptors();
    } else if (is("undumpable")) {
        return prctl(PR_SET_DUMPABLE, 0) != 0 || execl("/proc/self/exe", "victim", "exit", "0", nullptr) != 0;
    } else if (is("rename")) {
        return prctl(PR_SET_NAME, "another") != 0;
    } else if (is("serve")) {
        return serve(file);
    }
    return 0;
}
