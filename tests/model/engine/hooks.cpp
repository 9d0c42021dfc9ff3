// SPDX-License-Identifier: Apache-2.0
// What the compiler calls in code that is compiled for ThreadSanitizer, whose library is not linked: before each
// plain access, and at the begin and end of each function. And the functions of the system and the standard
// library that scenarios must not reach: memory comes from the model, system calls that wait stop in it.
#include "engine.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>

using model::engine::current;
using model::engine::plain_access;

#define LINN_MODEL_ACCESS(suffix, bytes)                                                                     \
    void __tsan_read##suffix(void* p) {                                                                      \
        plain_access(p, bytes, false, __builtin_return_address(0));                                          \
    }                                                                                                        \
    void __tsan_write##suffix(void* p) {                                                                     \
        plain_access(p, bytes, true, __builtin_return_address(0));                                           \
    }                                                                                                        \
    void __tsan_unaligned_read##suffix(void* p) {                                                            \
        plain_access(p, bytes, false, __builtin_return_address(0));                                          \
    }                                                                                                        \
    void __tsan_unaligned_write##suffix(void* p) {                                                           \
        plain_access(p, bytes, true, __builtin_return_address(0));                                           \
    }                                                                                                        \
    void __tsan_read_write##suffix(void* p) {                                                                \
        plain_access(p, bytes, true, __builtin_return_address(0));                                           \
    }                                                                                                        \
    void __tsan_unaligned_read_write##suffix(void* p) {                                                      \
        plain_access(p, bytes, true, __builtin_return_address(0));                                           \
    }

#define LINN_MODEL_ATOMIC(bits)                                                                              \
    using word##bits = std::uint##bits##_t;                                                                  \
    word##bits __tsan_atomic##bits##_load(const volatile word##bits* p, int) {                               \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                         \
    }                                                                                                        \
    word##bits __tsan_atomic##bits##_exchange(volatile word##bits* p, word##bits value, int) {               \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                              \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(volatile word##bits* p, word##bits value, int) {                        \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                        \
    }                                                                                                        \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile word##bits* p, word##bits* expected,          \
                                                      word##bits value, int, int) {                          \
        return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)    \
                   ? 1                                                                                       \
                   : 0;                                                                                      \
    }                                                                                                        \
    word##bits __tsan_atomic##bits##_compare_exchange_val(volatile word##bits* p, word##bits expected,       \
                                                          word##bits value, int, int) {                      \
        __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        return expected;                                                                                     \
    }

extern "C" {

void __tsan_init() {}

void __tsan_func_entry(void* caller) {
    if (current != nullptr) {
        if (current->depth < model::engine::most_frames) {
            current->frames[current->depth] = caller;
        }
        ++current->depth;
    }
}
void __tsan_func_exit() {
    if (current != nullptr && current->depth != 0) {
        --current->depth;
    }
}

LINN_MODEL_ACCESS(1, 1)
LINN_MODEL_ACCESS(2, 2)
LINN_MODEL_ACCESS(4, 4)
LINN_MODEL_ACCESS(8, 8)
LINN_MODEL_ACCESS(16, 16)

void __tsan_read_range(void* p, unsigned long bytes) {
    plain_access(p, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* p, unsigned long bytes) {
    plain_access(p, bytes, true, __builtin_return_address(0));
}
void __tsan_vptr_update(void** p, void*) {
    plain_access(p, sizeof *p, true, __builtin_return_address(0));
}
void __tsan_vptr_read(void** p) {
    plain_access(p, sizeof *p, false, __builtin_return_address(0));
}

// Atomics that are not the policy's: the handler of misuses, guards of static objects. They are no part of the
// model.
LINN_MODEL_ATOMIC(8)
LINN_MODEL_ATOMIC(32)
LINN_MODEL_ATOMIC(64)

void __tsan_atomic_signal_fence(int) {}
void __tsan_atomic_thread_fence(int) {
    model::fail("the model knows no fences");
}

// -- the C library -----------------------------------------------------------------------------------------

// Linked with --wrap of each: what scenarios call comes here.
void* __real_memcpy(void* to, const void* from, std::size_t n) noexcept;
void* __real_memmove(void* to, const void* from, std::size_t n) noexcept;
void* __real_memset(void* at, int value, std::size_t n) noexcept;

void* __wrap_memcpy(void* to, const void* from, std::size_t n) noexcept {
    plain_access(from, n, false, __builtin_return_address(0));
    plain_access(to, n, true, __builtin_return_address(0));
    return __real_memcpy(to, from, n);
}
void* __wrap_memmove(void* to, const void* from, std::size_t n) noexcept {
    plain_access(from, n, false, __builtin_return_address(0));
    plain_access(to, n, true, __builtin_return_address(0));
    return __real_memmove(to, from, n);
}
void* __wrap_memset(void* at, int value, std::size_t n) noexcept {
    plain_access(at, n, true, __builtin_return_address(0));
    return __real_memset(at, value, n);
}

// By these names clang calls them.
void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
    return __wrap_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, std::size_t n) {
    return __wrap_memmove(to, from, n);
}
void* __tsan_memset(void* at, int value, std::size_t n) {
    return __wrap_memset(at, value, n);
}

/// membarrier(2) is the barrier of the model. Nothing else that is tested makes system calls by number.
long syscall(long number, ...) noexcept {
    if (number != SYS_membarrier) {
        errno = ENOSYS;
        return -1;
    }
    if (current != nullptr) {
        model::barrier_of_all_threads();
    }
    return 0;
}

} // extern "C"

// -- the C++ library -----------------------------------------------------------------------------------------

namespace {

void* get(std::size_t bytes, std::size_t align) {
    if (current != nullptr && model::engine::own_memory::depth == 0) {
        // The size stands before it, for the delete that does not know it.
        const std::size_t head = align < 16 ? 16 : align;
        auto* p = static_cast<std::byte*>(model::memory_get(head + bytes, head)) + head;
        __builtin_memcpy(p - sizeof bytes, &bytes, sizeof bytes);
        return p;
    }
    void* p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (p == nullptr) {
        std::abort();
    }
    return p;
}

void put(void* p) {
    if (!model::in_memory(p)) {
        std::free(p);
        return;
    }
    std::size_t bytes = 0;
    __builtin_memcpy(&bytes, static_cast<std::byte*>(p) - sizeof bytes, sizeof bytes);
    model::memory_put(p, bytes);
}

} // namespace

void* operator new(std::size_t n) {
    return get(n, 16);
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return get(n, 16);
}
void* operator new(std::size_t n, std::align_val_t a) {
    return get(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return get(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept {
    put(p);
}
void operator delete(void* p, std::size_t) noexcept {
    put(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    put(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    put(p);
}
