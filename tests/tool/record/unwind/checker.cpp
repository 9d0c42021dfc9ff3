// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: every call of malloc, calloc, realloc and free takes its stack with the unwinder of the
// recorder and with libgcc's, and compares. At exit a line with the counts is appended to the file that
// LINN_UNWIND_CHECK names. LINN_UNWIND_DEPTH: frames, 16 if not set. Differences are appended as they are found.
#include "record/preload/unwind/capture.hpp"
#include "reference.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace unwind = linn::tool::unwind;

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);
}

namespace {

constinit thread_local unwind::thread_stacks stacks __attribute__((tls_model("initial-exec"))){};
constinit thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;

constexpr std::uint32_t most_stacks = 1u << 22;
struct definition {
    const std::uintptr_t* frames;
    unsigned count;
};
definition definitions[most_stacks];

std::atomic<unsigned long> stacks_seen;
std::atomic<unsigned long> differences;
std::atomic<unsigned long> hits;
std::atomic<unsigned long> cut;
unsigned depth = 16;
bool started = false;
pthread_key_t at_thread_end;
int (*next_dlclose)(void*) = nullptr;

__attribute__((format(printf, 1, 2))) void report(const char* format, ...) {
    const char* const file = std::getenv("LINN_UNWIND_CHECK");
    if (file == nullptr) {
        return;
    }
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (const int to = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644); to >= 0) {
        [[maybe_unused]] const auto written = write(to, text, static_cast<std::size_t>(length));
        close(to);
    }
}

void print(const char* title, const std::uintptr_t* frames, unsigned count) {
    char text[2048];
    int length = 0;
    for (unsigned i = 0; i != count && length < 1900; ++i) {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(frames[i]), &info);
        const char* const slash = info.dli_fname != nullptr ? std::strrchr(info.dli_fname, '/') : nullptr;
        length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %s+%lx",
                                slash != nullptr ? slash + 1 : "?",
                                frames[i] - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    }
    report("# %s:%.*s\n", title, length, text);
}

[[gnu::noinline]] void check(const unwind::frame_start& start) {
    if (busy || !started) {
        return;
    }
    busy = true;
    if (pthread_getspecific(at_thread_end) == nullptr) {
        pthread_setspecific(at_thread_end, &stacks);
    }
    const std::uint64_t misses = stacks.misses;
    const unwind::captured captured = unwind::capture(stacks, start);
    hits.fetch_add(stacks.misses == misses ? 1 : 0);
    cut.fetch_add(captured.is_new && captured.is_cut ? 1 : 0);
    if (captured.is_new && captured.id < most_stacks) {
        definitions[captured.id] = {captured.frames, captured.count};
        unwind::defined(captured);
    }
    const reference expected{start, depth};
    const definition known = captured.id < most_stacks ? definitions[captured.id] : definition{};
    if (!expected.equals(known.frames, known.count)) {
        if (differences.fetch_add(1) < 20) {
            print("found   ", known.frames, known.count);
            print("expected", expected.frames, expected.count);
        }
    }
    stacks_seen.fetch_add(1, std::memory_order_relaxed);
    busy = false;
}

[[gnu::constructor]] void begin() {
    if (const char* const wanted = std::getenv("LINN_UNWIND_DEPTH")) {
        depth = static_cast<unsigned>(std::atoi(wanted));
    }
    next_dlclose = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
    pthread_key_create(&at_thread_end,
                       [](void* ending) { unwind::release(*static_cast<unwind::thread_stacks*>(ending)); });
    unwind::start(depth);
    started = true;
}

[[gnu::destructor]] void end() {
    report("%s pid %d stacks %lu differences %lu hits %lu cut %lu\n", program_invocation_short_name, getpid(),
           stacks_seen.load(), differences.load(), hits.load(), cut.load());
}

} // namespace

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t bytes) {
    check(unwind::here());
    return __libc_malloc(bytes);
}

[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t bytes) {
    check(unwind::here());
    return __libc_calloc(count, bytes);
}

[[gnu::visibility("default")]] void* realloc(void* block, std::size_t bytes) {
    check(unwind::here());
    return __libc_realloc(block, bytes);
}

[[gnu::visibility("default")]] void free(void* block) {
    check(unwind::here());
    __libc_free(block);
}

[[gnu::visibility("default")]] int dlclose(void* library) {
    unwind::unloading guard;
    return next_dlclose(library);
}
}
