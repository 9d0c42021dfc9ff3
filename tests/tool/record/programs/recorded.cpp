// SPDX-License-Identifier: Apache-2.0
// Does what its first argument says, an exactly known number of times; preload_cases.py knows the numbers. Marked blocks
// have sizes that nothing else asks for.
#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

extern char** environ;

namespace {

/// The compiler must not see that a block is used for nothing.
template <typename T>
T* keep(T* p) {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}
std::size_t keep(std::size_t n) {
    asm volatile("" : "+r"(n));
    return n;
}

void pairs(std::size_t size, int count) {
    for (int i = 0; i != count; ++i) {
        std::free(keep(std::malloc(size)));
    }
}

int calls() {
    for (int i = 0; i != 3; ++i) {
        std::free(keep(std::malloc(10'001)));
        std::free(keep(std::calloc(2, 5'001)));
        std::free(keep(std::realloc(nullptr, 10'003)));
        std::free(keep(::reallocarray(nullptr, 2, 5'002)));
        void* p = nullptr;
        if (::posix_memalign(&p, 64, 10'005) == 0) {
            std::free(keep(p));
        }
        std::free(keep(std::aligned_alloc(128, 10'112)));
        std::free(keep(::memalign(256, 10'007)));
        std::free(keep(::valloc(10'008)));
        std::free(keep(::pvalloc(10'009)));
        std::free(nullptr);
    }
    // Growing, shrinking, moving, ending.
    void* p = std::malloc(20'001);
    p = keep(std::realloc(p, 20'002));
    p = keep(std::realloc(p, 2'000'003));
    p = keep(::reallocarray(p, 2, 10'002));
    p = keep(std::realloc(p, keep(std::size_t{0})));
    return p == nullptr ? 0 : 1;
}

int operators() {
    const auto aligned = std::align_val_t{64};
    for (int i = 0; i != 2; ++i) {
        ::operator delete(keep(::operator new(11'001)));
        ::operator delete[](keep(::operator new[](11'002)));
        ::operator delete(keep(::operator new(11'003, std::nothrow)), std::nothrow);
        ::operator delete[](keep(::operator new[](11'004, std::nothrow)), std::nothrow);
        ::operator delete(keep(::operator new(11'005, aligned)), aligned);
        ::operator delete[](keep(::operator new[](11'006, aligned)), aligned);
        ::operator delete(keep(::operator new(11'007, aligned, std::nothrow)), aligned, std::nothrow);
        ::operator delete[](keep(::operator new[](11'008, aligned, std::nothrow)), aligned, std::nothrow);
        ::operator delete(keep(::operator new(11'009)), std::size_t{11'009});
        ::operator delete[](keep(::operator new[](11'010)), std::size_t{11'010});
        ::operator delete(keep(::operator new(11'011, aligned)), std::size_t{11'011}, aligned);
        ::operator delete[](keep(::operator new[](11'012, aligned)), std::size_t{11'012}, aligned);
        ::operator delete(nullptr);
    }
    return 0;
}

int handler_calls = 0;
void give_up() {
    ++handler_calls;
    std::set_new_handler(nullptr);
}

int failures() {
    const std::size_t huge = keep(std::size_t{PTRDIFF_MAX} - 4096);
    int wrong = 0;
    errno = 0;
    wrong += std::malloc(huge) != nullptr || errno != ENOMEM;
    wrong += std::calloc(keep(SIZE_MAX / 2), 4) != nullptr || errno != ENOMEM;
    const auto same = reinterpret_cast<std::uintptr_t>(std::malloc(30'001)); // a failed realloc leaves it
    const auto again = [&] { return reinterpret_cast<void*>(keep(same)); };
    wrong += std::realloc(again(), huge) != nullptr;
    wrong += ::reallocarray(again(), keep(SIZE_MAX / 2), 4) != nullptr;
    std::free(again());
    void* q = &wrong;
    wrong += ::posix_memalign(&q, 3, 100) != EINVAL || q != &wrong;
    wrong += ::operator new(huge, std::nothrow) != nullptr;
    wrong += ::operator new[](huge, std::nothrow) != nullptr;
    wrong += ::operator new(huge, std::align_val_t{64}, std::nothrow) != nullptr;
    const auto throws = [&](auto function) {
        try {
            keep(function());
            ++wrong;
        } catch (const std::bad_alloc&) {
        }
    };
    throws([&] { return ::operator new(huge); });
    throws([&] { return ::operator new[](huge); });
    throws([&] { return ::operator new(huge, std::align_val_t{64}); });
    std::set_new_handler(give_up);
    throws([&] { return ::operator new(huge); });
    std::set_new_handler(give_up);
    wrong += ::operator new(huge, std::nothrow) != nullptr;
    wrong += handler_calls != 2;
    // After all that, everything is recorded as before.
    std::free(keep(std::malloc(30'002)));
    return wrong;
}

// Threads.

struct leaves_late {
    ~leaves_late() { pairs(40'002, 1); }
};
thread_local leaves_late late;
pthread_key_t late_key;
void key_destructor(void* round) {
    pairs(40'003, 1);
    if (reinterpret_cast<std::uintptr_t>(round) < 4) {
        ::pthread_setspecific(late_key, reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(round) + 1));
    }
}

std::atomic<int> ready{0};
std::atomic<bool> may_end{false};

void* at_once(void*) {
    pairs(40'001, 10);
    ready.fetch_add(1);
    ready.notify_all();
    may_end.wait(false);
    pairs(40'001, 10);
    return nullptr;
}
/// Small stacks, so that a thousand fit anywhere.
pthread_t begin_thread(void* (*function)(void*), void* argument = nullptr) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_t thread{};
    while (::pthread_create(&thread, &attributes, function, argument) != 0) {
        ::usleep(1000);
    }
    ::pthread_attr_destroy(&attributes);
    return thread;
}

std::vector<pthread_t> begin_all(int count) {
    std::vector<pthread_t> threads;
    for (int i = 0; i != count; ++i) {
        threads.push_back(begin_thread(at_once));
    }
    for (int n = ready.load(); n != count; n = ready.load()) {
        ready.wait(n);
    }
    return threads;
}
void end_all(const std::vector<pthread_t>& threads) {
    may_end = true;
    may_end.notify_all();
    for (const pthread_t t : threads) {
        ::pthread_join(t, nullptr);
    }
}

/// In a thread that ends then.
template <std::size_t Size, int Count>
void pairs_in_thread() {
    const auto run = [](void*) -> void* { return pairs(Size, Count), nullptr; };
    ::pthread_join(begin_thread(run), nullptr);
}

int many_at_once(int count) {
    end_all(begin_all(count));
    return 0;
}

int one_after_another(int count) {
    for (int i = 0; i != count; ++i) {
        pairs_in_thread<40'004, 2>();
    }
    return 0;
}

int thread_ends() {
    ::pthread_key_create(&late_key, key_destructor);
    for (int i = 0; i != 5; ++i) {
        std::thread{[] {
            keep(&late);
            ::pthread_setspecific(late_key, reinterpret_cast<void*>(1));
            ::pthread_setname_np(::pthread_self(), "late-one");
            pairs(40'001, 1);
        }}.join();
    }
    return 0;
}

int alive_at_exit(bool at_once_exit) {
    begin_all(8);
    if (at_once_exit) {
        ::_exit(7);
    }
    return 0;
}

struct at_end {
    ~at_end() { pairs(40'006, 3); }
} static_object;

// Processes.

void wait_for(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (status != 0) {
        std::abort();
    }
}

int fork_tree(int depth) {
    pairs(50'001, 5);
    for (int i = 0; i != 2 && depth != 0; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::_exit(fork_tree(depth - 1));
        }
        wait_for(child);
    }
    pairs(50'002, 5);
    return 0;
}

/// Not through the C library's fork handlers.
int raw_fork() {
    pairs(50'001, 5);
    const long child = ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    pairs(50'003, 5);
    if (child == 0) {
        ::_exit(0);
    }
    wait_for(static_cast<pid_t>(child));
    pairs(50'002, 5);
    return 0;
}

int fork_with_threads() {
    const std::vector<pthread_t> threads = begin_all(4);
    for (int i = 0; i != 5; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            pairs(50'004, 10);
            pairs_in_thread<50'005, 10>();
            ::_exit(0);
        }
        wait_for(child);
    }
    end_all(threads);
    return 0;
}

int vfork_and_spawn(char** arguments) {
    static int i;
    for (i = 0; i != 10; ++i) {
        pairs(50'001, 1);
        char* const next[] = {arguments[0], const_cast<char*>("small"), nullptr};
        if (i % 2 == 0) {
            pid_t child = 0;
            if (::posix_spawn(&child, arguments[0], nullptr, nullptr, next, environ) != 0) {
                return 1;
            }
            wait_for(child);
        } else {
            const pid_t child = ::vfork();
            if (child == 0) {
                // Not allowed, and done: the memory is the parent's.
                pairs(50'006, 1);
                ::execv(next[0], next);
                ::_exit(1);
            }
            wait_for(child);
        }
        pairs(50'002, 1);
    }
    return 0;
}

int exec_chain(char** arguments) {
    const int left = std::atoi(arguments[2]);
    pairs(50'007, 4);
    if (left == 0) {
        return 0;
    }
    const std::string less = std::to_string(left - 1);
    char* const next[] = {arguments[0], arguments[1], const_cast<char*>(less.c_str()), nullptr};
    ::execv(next[0], next);
    return 1;
}

// Signals. Their handlers allocate, which takes an allocator that may be interrupted.

volatile sig_atomic_t handled = 0;
void allocate_in_handler(int) {
    const int saved = errno;
    pairs(60'002, 3);
    handled = handled + 1;
    errno = saved;
}
/// For one signal, or as many as there is time for.
void set_timer(int microseconds, int then = 0) {
    const itimerval timer{{0, then}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

int signal_handlers(bool other_stack) {
    struct sigaction action{};
    action.sa_handler = allocate_in_handler;
    action.sa_flags = SA_RESTART | (other_stack ? SA_ONSTACK : 0);
    ::sigaction(SIGALRM, &action, nullptr);
    static char stack[64 << 10];
    if (other_stack) {
        stack_t s{};
        s.ss_sp = stack;
        s.ss_size = sizeof stack;
        ::sigaltstack(&s, nullptr);
    }
    set_timer(100, 100);
    while (handled < 300) {
        pairs(60'001, 1000);
    }
    set_timer(0);
    // What the handler did is known only here: told by blocks of another size.
    pairs(60'003, handled);
    return 0;
}

sigjmp_buf back;
volatile sig_atomic_t may_jump = 0;
void jump(int) {
    pairs(60'002, 1);
    if (may_jump != 0) {
        may_jump = 0;
        siglongjmp(back, 1);
    }
}
int longjmps() {
    std::signal(SIGALRM, jump);
    for (volatile int jumps = 0; jumps != 200;) {
        if (sigsetjmp(back, 1) == 0) {
            may_jump = 1;
            set_timer(50 + 7 * (jumps % 20));
            for (;;) {
                pairs(60'001, 10);
            }
        }
        jumps = jumps + 1;
    }
    pairs(60'004, 1000);
    return 0;
}

int pairs_beside = 0; // of the children, which then live beside their parent
void fork_in_handler(int) {
    const pid_t child = ::fork();
    if (child == 0) {
        pairs(60'005, 2);
        return; // into what was interrupted
    }
    int status = 0;
    if (pairs_beside == 0) {
        ::waitpid(child, &status, 0);
    }
    handled = handled + (WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 1000);
}
int forks_in_handlers(int beside) {
    pairs_beside = beside;
    std::signal(SIGALRM, fork_in_handler);
    const pid_t first = ::getpid();
    for (int round = 0; round != 40; ++round) {
        const int before = handled;
        set_timer(200 + round);
        while (handled == before && ::getpid() == first) {
            pairs(60'001, 10);
        }
        if (::getpid() != first) {
            pairs(60'006, beside == 0 ? 10 : beside);
            ::_exit(0);
        }
    }
    return handled == 40 ? 0 : 1;
}

/// The child goes on to end the thread, which is its only one.
int forks_in_ends(int threads) {
    std::signal(SIGUSR1, [](int) {
        int status = 0;
        handled = handled + (::fork() != 0 && ::wait(&status) > 0 && status != 0 ? 1 : 0);
    });
    for (int i = 0; i != threads; ++i) {
        std::atomic<int> wait{0};
        std::thread thread{[&, i] {
            pairs(60'001, 1);
            wait = i % 40 * 20 + 1;
        }};
        while (wait == 0 || --wait != 0) {
        }
        ::pthread_kill(thread.native_handle(), SIGUSR1);
        thread.join();
    }
    return handled;
}

// Files that come and go, deaths.

int plugins(char** files) {
    for (int i = 0; i != 20; ++i) {
        for (int which = 0; which != 2; ++which) {
            void* const file = ::dlopen(files[which], RTLD_NOW | RTLD_LOCAL);
            if (file == nullptr) {
                std::fprintf(stderr, "%s\n", ::dlerror());
                return 1;
            }
            reinterpret_cast<void (*)(int)>(::dlsym(file, "work"))(5);
            ::dlclose(file);
        }
    }
    return 0;
}

/// Counts what it has finished where others see it, until it is killed.
int until_killed(const char* file) {
    const int fd = ::open(file, O_RDWR);
    auto* const done = static_cast<std::atomic<std::uint64_t>*>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    const auto work = [](void* counter) -> void* {
        auto& n = *static_cast<std::atomic<std::uint64_t>*>(counter);
        for (;;) {
            std::free(keep(std::malloc(90'001)));
            n.fetch_add(1);
        }
    };
    for (int i = 1; i != 3; ++i) {
        begin_thread(work, done + 8 * i);
    }
    work(done);
    return 1;
}

struct action {
    std::string_view name;
    int (*run)(int number, char** argv);
};

constexpr action actions[] = {
    {"calls", [](auto...) { return calls(); }},
    {"operators", [](auto...) { return operators(); }},
    {"failures", [](auto...) { return failures(); }},
    {"many_at_once", [](int number, auto) { return many_at_once(number); }},
    {"one_after_another", [](int number, auto) { return one_after_another(number); }},
    {"thread_ends", [](auto...) { return thread_ends(); }},
    {"alive_at_exit", [](int number, auto) { return alive_at_exit(number != 0); }},
    {"fork_tree", [](int number, auto) { return fork_tree(number); }},
    {"raw_fork", [](auto...) { return raw_fork(); }},
    {"fork_with_threads", [](auto...) { return fork_with_threads(); }},
    {"vfork_and_spawn", [](auto, char** argv) { return vfork_and_spawn(argv); }},
    {"exec_chain", [](auto, char** argv) { return exec_chain(argv); }},
    {"signal_handlers", [](int number, auto) { return signal_handlers(number != 0); }},
    {"longjmps", [](auto...) { return longjmps(); }},
    {"forks_in_handlers", [](int number, auto) { return forks_in_handlers(number); }},
    {"forks_in_ends", [](int number, auto) { return forks_in_ends(number); }},
    {"plugins", [](auto, char** argv) { return plugins(argv + 2); }},
    {"until_killed", [](auto, char** argv) { return until_killed(argv[2]); }},
    {"pairs", [](int number, auto) { return pairs(100'001, number), 0; }},
    {"small", [](auto...) { return pairs(50'008, 1), 0; }},
};

} // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? std::atoi(argv[2]) : 0;
    keep(&static_object);
    for (const action& action : actions) {
        if (action.name == what) {
            return action.run(number, argv);
        }
    }
    return what.empty() ? 0 : 2;
}
