// SPDX-License-Identifier: Apache-2.0
// churn PAIRS THREADS [WORD...]: each thread makes so many pairs of malloc and free (none: the main thread does), then
// the words are obeyed in turn.
//   exit N      ends with that status         kill N      ends by that signal
//   leave       forks a child that goes on until its standard input ends
//   cat         copies standard input to standard output
//   catch       prints "ready", and on SIGINT or SIGTERM prints its number and ends with status 5
//   env         prints LD_PRELOAD as the program sees it
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

volatile std::sig_atomic_t caught = 0;

void note(int signal) {
    caught = signal;
}

void churn(long pairs) {
    for (long i = 0; i != pairs; ++i) {
        void* volatile p = std::malloc(static_cast<std::size_t>(16 + i % 128));
        std::free(p);
    }
}

void leave() {
    std::fflush(stdout);
    if (::fork() != 0) {
        return;
    }
    churn(100);
    char c = 0;
    while (::read(STDIN_FILENO, &c, 1) > 0) {
        churn(1);
    }
    std::_Exit(0);
}

void wait_for_signal() {
    sigset_t both;
    sigset_t old;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &both, &old);
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
    std::puts("ready");
    std::fflush(stdout);
    while (caught == 0) {
        ::sigsuspend(&old);
    }
    std::printf("caught %d\n", static_cast<int>(caught));
    std::exit(5);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        return 99;
    }
    const long pairs = std::atol(argv[1]);
    const int threads = std::atoi(argv[2]);
    if (threads == 0) {
        churn(pairs);
    }
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back(churn, pairs);
    }
    running.clear();
    for (int i = 3; i < argc; ++i) {
        const char* const word = argv[i];
        if (std::strcmp(word, "exit") == 0) {
            return std::atoi(argv[i + 1]);
        }
        if (std::strcmp(word, "kill") == 0) {
            ::kill(::getpid(), std::atoi(argv[i + 1]));
        } else if (std::strcmp(word, "leave") == 0) {
            leave();
        } else if (std::strcmp(word, "cat") == 0) {
            for (int c = std::getchar(); c != EOF; c = std::getchar()) {
                std::putchar(c);
            }
        } else if (std::strcmp(word, "catch") == 0) {
            wait_for_signal();
        } else if (std::strcmp(word, "env") == 0) {
            std::puts(std::getenv("LD_PRELOAD") != nullptr ? std::getenv("LD_PRELOAD") : "none");
        }
    }
    return 0;
}
