// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline constexpr std::size_t bytes = 40;

extern "C" void* site_malloc();
extern "C" void* site_new();

[[noreturn]] inline void fail(const char* what) {
    std::printf("failed: %s\n", what);
    std::fflush(stdout);
    std::_Exit(1);
}
inline void expect(bool condition, const char* what) {
    if (!condition) {
        fail(what);
    }
}

inline bool is_aligned(const void* p, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

/// Fills a block with what only it has, and knows it again.
inline void mark(void* p, std::size_t n) {
    const auto value = static_cast<int>((reinterpret_cast<std::uintptr_t>(p) >> 4) & 0xff);
    std::memset(p, value, n);
}
inline void expect_mark(const void* p, std::size_t n) {
    const auto value = static_cast<unsigned char>((reinterpret_cast<std::uintptr_t>(p) >> 4) & 0xff);
    for (std::size_t i = 0; i != n; ++i) {
        expect(static_cast<const unsigned char*>(p)[i] == value, "a block changed while it was alive");
    }
}

inline constexpr int rounds = 1000;

/// Takes many blocks, looks whether they are whole, and gives them back.
template <class Take, class Give = void (*)(void*)>
void many(Take take, Give give = std::free, std::size_t n = bytes, std::size_t alignment = 16) {
    std::vector<void*> blocks;
    for (int i = 0; i != rounds; ++i) {
        void* const p = take();
        expect(p != nullptr && is_aligned(p, alignment), "a block is not aligned");
        mark(p, n);
        blocks.push_back(p);
    }
    for (void* p : blocks) {
        expect_mark(p, n);
    }
    for (void* p : blocks) {
        give(p);
    }
}

// What the program does with much memory, and with none.
void leave();
void grow_and_trim();
void serve(const char* seconds);
void lock_memory();
void ask_for_too_much();
