// SPDX-License-Identifier: Apache-2.0
// Included before Hoard's sources, which were written for a C library before 2.34: they set its malloc hooks, gone since,
// besides defining malloc itself, and rely on headers that other headers no longer bring along.
#pragma once

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

// Set, but never called.
static void* (*__malloc_hook)(std::size_t, const void*) = nullptr;
static void (*__free_hook)(void*, const void*) = nullptr;
static void* (*__realloc_hook)(void*, std::size_t, const void*) = nullptr;
static void* (*__memalign_hook)(std::size_t, std::size_t, const void*) = nullptr;
