// SPDX-License-Identifier: Apache-2.0
// A program that does what its first argument says, through calls that the tests' plans name. It finds itself what goes
// wrong (a block that is not aligned, not zero, or somebody else's too), prints it and ends with status 1.
#include "served.hpp"

#include "sites.hpp"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

extern char** environ;

// NOLINTBEGIN
#define LINN_CALL(site, call)                                                                                \
    LINN_SITE void* site() {                                                                                 \
        return kept(call);                                                                                   \
    }
LINN_CALL(site_malloc, std::malloc(bytes))
LINN_CALL(site_calloc, std::calloc(4, 10))
LINN_CALL(site_realloc, std::realloc(nullptr, bytes))
LINN_CALL(site_reallocarray, ::reallocarray(nullptr, 5, 8))
LINN_CALL(site_aligned_alloc, std::aligned_alloc(64, 64))
LINN_CALL(site_memalign, ::memalign(64, bytes))
LINN_CALL(site_new, ::operator new(bytes))
LINN_CALL(site_new_array, ::operator new[](bytes))
LINN_CALL(site_new_nothrow, ::operator new(bytes, std::nothrow))
LINN_CALL(site_new_array_nothrow, ::operator new[](bytes, std::nothrow))
LINN_CALL(site_new_aligned, ::operator new(64, std::align_val_t{64}))
LINN_CALL(site_new_array_aligned, ::operator new[](64, std::align_val_t{64}))
LINN_CALL(site_new_aligned_nothrow, ::operator new(64, std::align_val_t{64}, std::nothrow))
LINN_CALL(site_new_array_aligned_nothrow, ::operator new[](64, std::align_val_t{64}, std::nothrow))
LINN_SITE void* site_posix_memalign() {
    void* p = nullptr;
    if (::posix_memalign(&p, 64, 64) != 0) {
        return nullptr;
    }
    return kept(p);
}
LINN_SITE void* site_of_size(std::size_t n) {
    return kept(std::malloc(n));
}

// Two types through one wrapper.
LINN_SITE void* wrapper(std::size_t n) {
    void* const p = std::malloc(n);
    if (p == nullptr) {
        std::abort();
    }
    return kept(p);
}
LINN_SITE void* caller_one() {
    return kept(wrapper(bytes));
}
LINN_SITE void* caller_two() {
    return kept(wrapper(bytes));
}
// NOLINTEND

namespace {

void call_all() {
    many(site_malloc);
    many([] {
        void* const p = site_calloc();
        for (std::size_t i = 0; i != bytes; ++i) {
            expect(static_cast<const unsigned char*>(p)[i] == 0, "calloc gave a block that is not zero");
        }
        return p;
    });
    many(site_calloc);
    many(site_realloc);
    many(site_reallocarray);
    many(site_aligned_alloc, std::free, 64, 64);
    many(site_memalign, std::free, bytes, 64);
    many(site_posix_memalign, std::free, 64, 64);
    many(site_new, [](void* p) { ::operator delete(p); });
    many(site_new, [](void* p) { ::operator delete(p, bytes); });
    many(site_new_array, [](void* p) { ::operator delete[](p); });
    many(site_new_array, [](void* p) { ::operator delete[](p, bytes); });
    many(site_new_nothrow, [](void* p) { ::operator delete(p, std::nothrow); });
    many(site_new_array_nothrow, [](void* p) { ::operator delete[](p, std::nothrow); });
    many(site_new_aligned, [](void* p) { ::operator delete(p, std::align_val_t{64}); }, 64, 64);
    many(site_new_aligned, [](void* p) { ::operator delete(p, 64, std::align_val_t{64}); }, 64, 64);
    many(site_new_array_aligned, [](void* p) { ::operator delete[](p, std::align_val_t{64}); }, 64, 64);
    many(site_new_array_aligned, [](void* p) { ::operator delete[](p, 64, std::align_val_t{64}); }, 64, 64);
    many(
        site_new_aligned_nothrow, [](void* p) { ::operator delete(p, std::align_val_t{64}, std::nothrow); },
        64, 64);
    many(
        site_new_array_aligned_nothrow,
        [](void* p) { ::operator delete[](p, std::align_val_t{64}, std::nothrow); }, 64, 64);
}

/// In a pool whose slots have room for it, a block grows where it is.
void grow() {
    for (int i = 0; i != rounds; ++i) {
        void* const p = site_malloc();
        mark(p, bytes);
        const auto value = static_cast<unsigned char*>(p)[bytes - 1];
        void* q = std::realloc(p, 100);
        expect(q == p && ::malloc_usable_size(q) >= 100, "a block with room was moved");
        std::memset(static_cast<unsigned char*>(q) + bytes, 1, 100 - bytes);
        q = kept(std::realloc(q, 200));
        expect(q != p, "a block without room was not moved");
        for (std::size_t k = 0; k != 100; ++k) {
            expect(static_cast<unsigned char*>(q)[k] == (k < bytes ? value : 1),
                   "realloc lost what a block held");
        }
        std::free(q);
    }
}

void resize() {
    for (int i = 0; i != rounds; ++i) {
        void* p = site_malloc();
        mark(p, bytes);
        void* const q = std::realloc(p, 8);
        expect(q == p, "a smaller size moved a block");
        p = std::realloc(q, bytes);
        expect(p == q, "the same size moved a block");
        const auto value = static_cast<unsigned char*>(p)[bytes - 1];
        p = kept(std::realloc(p, 5000));
        for (std::size_t k = 0; k != bytes; ++k) {
            expect(static_cast<unsigned char*>(p)[k] == value, "realloc lost what a block held");
        }
        std::memset(p, 1, 5000);
        p = std::realloc(p, 6000);
        std::free(p);
        p = site_malloc();
        p = ::reallocarray(p, 100, 100);
        std::memset(p, 1, 10000);
        std::free(p);
        p = site_malloc();
        errno = 0;
        volatile std::size_t much = SIZE_MAX;
        expect(::reallocarray(p, much, 2) == nullptr && errno == ENOMEM, "an overflow was not refused");
        const std::size_t usable = ::malloc_usable_size(p);
        expect(usable >= bytes && usable <= 48, "malloc_usable_size");
        std::memset(p, 1, usable);
        expect(std::realloc(p, 0) == nullptr, "realloc to 0 bytes gave a block"); // NOLINT
    }
    void* const general = std::malloc(100);
    expect(::malloc_usable_size(general) >= 100 && ::malloc_usable_size(nullptr) == 0, "malloc_usable_size");
    std::free(general);
    std::free(nullptr);
    ::operator delete(nullptr);
}

void keep_errno() {
    std::vector<void*> blocks;
    for (int round = 0; round != 20; ++round) {
        for (int i = 0; i != 5000; ++i) {
            blocks.push_back(site_malloc());
            blocks.push_back(site_new());
        }
        while (!blocks.empty()) {
            errno = 1234;
            ::operator delete(blocks.back());
            blocks.pop_back();
            std::free(blocks.back());
            blocks.pop_back();
            expect(errno == 1234, "free changed errno");
        }
    }
}

// -- threads ---------------------------------------------------------------------------------------

struct in_thread {
    void* block = nullptr;
    ~in_thread() {
        std::free(block);
        many(site_malloc);
    }
};
thread_local in_thread of_this_thread;

pthread_key_t late_key;
void late(void* block) {
    std::free(block);
    many(site_new, [](void* p) { ::operator delete(p); });
}

void run_threads() {
    ::pthread_key_create(&late_key, late);
    for (int round = 0; round != 20; ++round) {
        std::vector<void*> handed(2000);
        std::vector<std::jthread> threads;
        for (int t = 0; t != 4; ++t) {
            threads.emplace_back([&handed, t] {
                of_this_thread.block = site_malloc();
                ::pthread_setspecific(late_key, site_malloc());
                for (std::size_t i = static_cast<std::size_t>(t); i < handed.size(); i += 4) {
                    mark(handed[i] = site_malloc(), bytes);
                }
            });
        }
        threads.clear();
        for (int t = 0; t != 4; ++t) {
            threads.emplace_back([&handed, t] {
                for (std::size_t i = static_cast<std::size_t>(t); i < handed.size(); i += 4) {
                    expect_mark(handed[handed.size() - 1 - i], bytes);
                    std::free(handed[handed.size() - 1 - i]);
                }
            });
        }
    }
    // The smallest stack that the system allows.
    pthread_attr_t small;
    ::pthread_attr_init(&small);
    ::pthread_attr_setstacksize(&small, static_cast<std::size_t>(PTHREAD_STACK_MIN) + 8192);
    pthread_t thread;
    expect(::pthread_create(
               &thread, &small,
               [](void*) -> void* {
                   for (int i = 0; i != 1000; ++i) {
                       std::free(site_malloc());
                   }
                   return nullptr;
               },
               nullptr) == 0,
           "a thread with a small stack was not started");
    ::pthread_join(thread, nullptr);
}

// -- processes -------------------------------------------------------------------------------------

void wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child failed");
}

void fork_with_threads() {
    std::atomic<bool> is_over{false};
    std::vector<std::jthread> threads;
    for (int t = 0; t != 3; ++t) {
        threads.emplace_back([&is_over] {
            while (!is_over) {
                many(site_malloc);
            }
        });
    }
    for (int t = 0; t != 2; ++t) { // whose caches begin and end
        threads.emplace_back([&is_over] {
            while (!is_over) {
                std::thread{[] { std::free(site_malloc()); }}.join();
            }
        });
    }
    ::dlopen("/nowhere.so", RTLD_NOW); // so that files are looked for
    threads.emplace_back([] {          // has the loader's lock for a second, in the children for ever
        ::dl_iterate_phdr([](auto...) { return static_cast<int>(::sleep(1)) + 1; }, nullptr);
    });
    std::vector<void*> before;
    for (int i = 0; i != 500; ++i) {
        mark(before.emplace_back(site_malloc()), bytes);
    }
    for (int round = 0; round != 100; ++round) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (void* p : before) {
                expect_mark(p, bytes);
                std::free(p);
            }
            std::free(site_of_size(bytes));
            many(site_malloc);
            std::thread{[] { many(site_new, [](void* p) { ::operator delete(p); }); }}.join();
            if (const pid_t grandchild = ::fork(); grandchild == 0) {
                many(site_malloc);
                std::_Exit(0);
            } else {
                wait_for(grandchild);
            }
            std::_Exit(0);
        }
        wait_for(child);
    }
    is_over = true;
    threads.clear();
    for (void* p : before) {
        std::free(p);
    }
}

[[gnu::noinline]] pid_t vforked(const char* const* arguments) {
    const pid_t child = ::vfork(); // NOLINT
    if (child == 0) {
        std::free(site_malloc()); // in its parent's memory
        ::execv(arguments[0], const_cast<char**>(arguments));
        ::_exit(1);
    }
    return child;
}

void start_others(const char* self) {
    std::vector<void*> blocks;
    for (int i = 0; i != 100; ++i) {
        mark(blocks.emplace_back(site_malloc()), bytes);
    }
    const char* const arguments[] = {self, "calls", nullptr};
    for (int round = 0; round != 5; ++round) {
        wait_for(vforked(arguments));
        pid_t spawned = 0;
        expect(::posix_spawn(&spawned, self, nullptr, nullptr, const_cast<char**>(arguments), environ) == 0,
               "posix_spawn");
        wait_for(spawned);
    }
    for (void* p : blocks) {
        expect_mark(p, bytes);
        std::free(p);
    }
}

// -- the end ---------------------------------------------------------------------------------------

void at_end() {
    many(site_malloc);
}
struct static_object {
    void* block = site_malloc();
    ~static_object() {
        std::free(block);
        many(site_new, [](void* p) { ::operator delete(p); });
    }
};

void exit_late() {
    static static_object until_the_end;
    std::atexit(at_end);
    static std::vector<void*> left;
    for (int i = 0; i != 10; ++i) {
        left.push_back(site_malloc()); // alive to the end
    }
}

// -- libraries -------------------------------------------------------------------------------------

void use_plugin(const char* file, int rounds_of_it) {
    std::vector<void*> left;
    for (int i = 0; i != rounds_of_it; ++i) {
        void* const plugin = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) {
            fail(::dlerror());
        }
        auto* const make = reinterpret_cast<void* (*)()>(::dlsym(plugin, "site_of_plugin"));
        auto* const give = reinterpret_cast<void (*)(void*)>(::dlsym(plugin, "give_in_plugin"));
        many(make, give, 24);
        many(site_malloc, give);
        many(make, std::free, 24);
        mark(left.emplace_back(make()), 24);
        ::dlclose(plugin);
    }
    for (void* p : left) {
        expect_mark(p, 24);
        std::free(p);
    }
}

void call_in_loop(const char* count) {
    for (long i = std::atol(count); i != 0; --i) {
        void* const p = site_malloc();
        *static_cast<volatile char*>(p) = 1;
        std::free(p);
    }
}

void misuse(std::string_view what) {
    auto* const p = static_cast<unsigned char*>(site_malloc());
    if (what == "double_free") {
        std::free(p);
        std::free(kept(p)); // NOLINT
    } else if (what == "free_of_moved") {
        std::free(kept(std::realloc(p, 4000)));
        std::free(kept(p)); // NOLINT
    } else if (what == "overrun") {
        *kept(p + bytes) = 1;
        std::free(p);
    } else if (what == "use") {
        std::free(p);
        std::printf("%s", *kept(p) == 7 ? "seven\n" : ""); // NOLINT
    } else if (what == "interior") {
        std::free(kept(p + 8)); // NOLINT
    }
}

void call_wrapper() {
    many(caller_one);
    many(caller_two);
    many([] { return wrapper(bytes); });
}

void use_sizes() {
    for (std::size_t n = 1; n != 1200; ++n) {
        many([n] { return site_of_size(n); }, std::free, n);
    }
}

/// As daemons do that want another name in the list of processes.
void rename_self() {
    for (char** e = environ; *e != nullptr; ++e) {
        std::memset(*e, 'x', std::strlen(*e));
    }
    many(site_malloc);
}

void raise_signal(const char* number) {
    ::raise(std::atoi(number));
    std::free(site_malloc());
}

struct action {
    std::string_view name;
    void (*run)(const char* more, char** argv);
};

constexpr action actions[] = {
    {"calls", [](auto...) { call_all(); }},
    {"resize", [](auto...) { resize(); }},
    {"grow", [](auto...) { grow(); }},
    {"errno", [](auto...) { keep_errno(); }},
    {"threads", [](auto...) { run_threads(); }},
    {"fork", [](auto...) { fork_with_threads(); }},
    {"start", [](auto, char** argv) { start_others(argv[0]); }},
    {"exit", [](auto...) { exit_late(); }},
    {"plugin", [](const char* file, char** argv) { use_plugin(file, std::atoi(argv[3])); }},
    {"wrapper", [](auto...) { call_wrapper(); }},
    {"sizes", [](auto...) { use_sizes(); }},
    {"failures", [](auto...) { ask_for_too_much(); }},
    {"leave", [](auto...) { leave(); }},
    {"trim", [](auto...) { grow_and_trim(); }},
    {"serve", [](const char* seconds, auto) { serve(seconds); }},
    {"loop", [](const char* count, auto) { call_in_loop(count); }},
    {"misuse", [](const char* how, auto) { misuse(how); }},
    {"rename", [](auto...) { rename_self(); }},
    {"status", [](const char* status, auto) { std::exit(std::atoi(status)); }},
    {"lock", [](auto...) { lock_memory(); }},
    {"signal", [](const char* number, auto) { raise_signal(number); }},
    {"abort", [](auto...) { std::abort(); }},
};

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    for (const action& a : actions) {
        if (a.name == what) {
            a.run(argc > 2 ? argv[2] : "", argv);
            std::puts("ok");
            return 0;
        }
    }
    return 2;
}
