// SPDX-License-Identifier: Apache-2.0
// A program that linn attaches to. It says on standard output what it did, does what lines of standard input say, and never
// notices that it is recorded.
//
//     counted busy THREADS      every thread gets and releases blocks whose sizes count up, until a line comes
//     counted steps             one line, one step: see below
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t first_size = 1000; // of blocks whose sizes count up
constexpr std::size_t sizes = 977;
constexpr std::size_t marked = 200'000; // sizes of steps: nothing else has such

std::atomic<bool> stops{false};
std::atomic<unsigned long> handled{0};

void keep(void* block) {
    asm volatile("" : : "r"(block) : "memory");
}

/// What the program must not lose over an attachment: registers of all kinds, errno, and the results.
[[gnu::noinline]] double sum_of(unsigned long i) {
    double sum = 0;
    for (int k = 1; k != 200; ++k) {
        sum += 1.0 / (static_cast<double>(i % 7 + 1) * k);
    }
    keep(nullptr); // two calls stay two
    return sum;
}

void count_up(std::atomic<unsigned long>* done) {
    for (unsigned long i = 0; !stops.load(std::memory_order_relaxed); ++i) {
        errno = static_cast<int>(i % 100) + 1;
        void* const block = std::malloc(first_size + i % sizes);
        keep(block);
        std::memset(block, 1, 100);
        std::free(block);
        if (errno != static_cast<int>(i % 100) + 1 || sum_of(i) != sum_of(i)) {
            std::puts("wrong");
            std::fflush(stdout);
            std::_Exit(3);
        }
        done->store(i + 1, std::memory_order_relaxed);
    }
}

int busy(int threads) {
    std::vector<std::atomic<unsigned long>> done(static_cast<std::size_t>(threads));
    std::vector<std::thread> all;
    for (auto& d : done) {
        all.emplace_back(count_up, &d);
    }
    std::puts("ready");
    std::fflush(stdout);
    char line[64];
    while (::read(STDIN_FILENO, line, sizeof line) < 0) {
    }
    stops.store(true);
    unsigned long pairs = 0;
    for (auto& t : all) {
        t.join();
    }
    for (auto& d : done) {
        pairs += d.load();
    }
    std::printf("pairs %lu\n", pairs);
    return 0;
}

void work(std::size_t size, int count) {
    for (int i = 0; i != count; ++i) {
        void* block = std::malloc(size);
        keep(block);
        block = std::realloc(block, size + 1);
        keep(block);
        std::free(block);
        keep(block = std::calloc(1, size + 2));
        std::free(block);
        char* const array = new char[size + 3];
        keep(array);
        delete[] array;
        void* aligned = nullptr;
        if (::posix_memalign(&aligned, 64, size + 4) == 0) {
            keep(aligned);
            std::free(aligned);
        }
    }
}

void in_threads(int threads, std::size_t size, int count) {
    std::vector<std::thread> all;
    for (int i = 0; i != threads; ++i) {
        all.emplace_back(work, size, count);
    }
    for (auto& t : all) {
        t.join();
    }
}

void use_library(const char* path) {
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    reinterpret_cast<void (*)(int)>(::dlsym(library, "act"))(10);
    ::dlclose(library);
}

void take_signals(int count) {
    struct sigaction action{};
    action.sa_flags = SA_RESTART;
    action.sa_handler = [](int) { handled.fetch_add(1); };
    ::sigaction(SIGUSR1, &action, nullptr);
    for (int i = 0; i != count; ++i) {
        ::raise(SIGUSR1);
    }
}

std::vector<void*> kept;

/// One step; false at the end.
bool step(const char* line) {
    char word[64] = {};
    char text[512] = {};
    std::sscanf(line, "%63s %511s", word, text);
    const std::string what = word;
    const int a = std::atoi(text);
    if (what == "work") {
        work(marked + static_cast<std::size_t>(a), std::atoi(std::strrchr(line, ' ')));
    } else if (what == "threads") {
        in_threads(a, marked, std::atoi(std::strrchr(line, ' ')));
    } else if (what == "keep") {
        for (int i = 0; i != a; ++i) {
            kept.push_back(std::malloc(marked + 50));
        }
    } else if (what == "give") {
        for (void* const block : kept) {
            std::free(block);
        }
        kept.clear();
    } else if (what == "fill") {
        for (int i = 0; i != a; ++i) {
            void* const block = std::malloc(marked + 60);
            keep(block);
            std::memset(block, 0, marked + 60);
            keep(block);
            std::free(block);
        }
    } else if (what == "library") {
        use_library(text);
    } else if (what == "fork") {
        const pid_t child = ::fork();
        if (child == 0) {
            work(marked + 100, a);
            std::_Exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        std::printf("child %d\n", status);
    } else if (what == "leave") { // a child that lives on, until its parent ends
        if (::fork() == 0) {
            ::close(STDOUT_FILENO);
            while (::getppid() != 1) {
                work(marked + 200, 1);
                ::usleep(1000);
            }
            std::_Exit(0);
        }
    } else if (what == "signals") {
        take_signals(a);
        std::printf("handled %lu\n", handled.load());
    } else if (what == "exec") {
        ::execlp(text, text, "-c", "echo executed; read line; exit 5", nullptr);
    }
    return what != "end";
}

int steps() {
    char* line = nullptr;
    std::size_t room = 0;
    std::puts("ready");
    std::fflush(stdout);
    while (::getline(&line, &room, stdin) > 0 && step(line)) {
        std::puts("done");
        std::fflush(stdout);
    }
    std::free(line);
    return 7;
}

} // namespace

int main(int count, char** words) {
    if (count == 3 && std::strcmp(words[1], "busy") == 0) {
        return busy(std::atoi(words[2]));
    }
    return count == 2 && std::strcmp(words[1], "steps") == 0 ? steps() : 2;
}
