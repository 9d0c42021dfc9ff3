// SPDX-License-Identifier: Apache-2.0
// Preload libraries over the C library's malloc, each wrong in the way that its macro says. LINN_malloc_only is not: it lacks
// operator new and delete, which the C++ runtime forwards to its malloc, and is really in effect.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);

namespace {

// They replace malloc well enough to start a program, and fail once one allocates in earnest; the first two pass the tool's trial.
#if defined(LINN_crashing) || defined(LINN_hanging)
bool fails(std::size_t) {
    static unsigned long calls = 0;
    return ++calls > 4000 && program_invocation_short_name != std::string_view{"linn-allocator-probe"};
}
#elif defined(LINN_crashing_at_once) || defined(LINN_hanging_at_once) || defined(LINN_ending_at_once)
bool fails(std::size_t) {
    static unsigned long calls = 0;
    return ++calls > 300;
}
#else
bool fails(std::size_t) {
    return false;
}
#endif

} // namespace

extern "C" void* malloc(std::size_t size) {
    if (fails(size)) {
#if defined(LINN_hanging) || defined(LINN_hanging_at_once)
        for (;;) {
            ::pause();
        }
#elif defined(LINN_ending_at_once)
        ::_exit(::write(STDOUT_FILENO, "done\t\n", 6) == 6 ? 0 : 1); // as the tool's trial would
#else
        std::abort();
#endif
    }
    return __libc_malloc(size);
}

extern "C" void free(void* p) {
    __libc_free(p);
}

#if defined(LINN_misaligning)
extern "C" int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    do { // one that is aligned by luck is lost
        *result = __libc_malloc(size);
    } while (alignment >= 64 && *result != nullptr &&
             reinterpret_cast<std::uintptr_t>(*result) % alignment == 0);
    return *result == nullptr ? ENOMEM : 0;
}
#elif defined(LINN_weak)
// It refuses only what programs rarely ask for, so it is usable.
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    *result = alignment > 65'536 ? nullptr : __libc_memalign(alignment, size);
    return *result == nullptr ? ENOMEM : 0;
}
#elif defined(LINN_unlinkable)
// A library whose dependency was forgotten.
extern "C" int linn_test_function_of_nobody(void**, std::size_t, std::size_t);
extern "C" int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    return linn_test_function_of_nobody(result, alignment, size);
}
#endif
