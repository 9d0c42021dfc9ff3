// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_COMPILER_HPP
#define LINN_DETAIL_CORE_COMPILER_HPP

// All that depends on the compiler: the only header that names one, an attribute or a builtin of one, assembly, or a processor.
// Macros only, since config.hpp needs some of them to name the inline namespace.

// -- what compiles, and for what ------------------------------------------------------------------

// MSVC says in `__cplusplus` what it said in 1998, if it is not told otherwise.
#if defined(_MSVC_LANG)
#define LINN_DETAIL_CPLUSPLUS _MSVC_LANG
#else
#define LINN_DETAIL_CPLUSPLUS __cplusplus
#endif

// GCC and MSVC define a macro for each sanitizer, Clang answers __has_feature.
#if defined(__has_feature)
#define LINN_DETAIL_HAS_FEATURE(name) __has_feature(name)
#else
#define LINN_DETAIL_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || LINN_DETAIL_HAS_FEATURE(address_sanitizer)
#define LINN_DETAIL_ASAN 1
#else
#define LINN_DETAIL_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || LINN_DETAIL_HAS_FEATURE(thread_sanitizer)
#define LINN_DETAIL_TSAN 1
#else
#define LINN_DETAIL_TSAN 0
#endif
#if LINN_DETAIL_HAS_FEATURE(memory_sanitizer)
#define LINN_DETAIL_MSAN 1
#else
#define LINN_DETAIL_MSAN 0
#endif
#undef LINN_DETAIL_HAS_FEATURE

// Whether a library emulates thread_local variables: each use is a call, and when a thread ends it frees that thread's before
// the destructors of thread_local objects run.
#if (defined(__MINGW32__) && !defined(__clang__)) || defined(__CYGWIN__) || defined(__OpenBSD__) ||          \
    defined(__ANDROID__)
#define LINN_DETAIL_EMULATED_TLS 1
#else
#define LINN_DETAIL_EMULATED_TLS 0
#endif

// Whether there are threads, and destructors of thread_local objects.
#if defined(__wasi__)
#define LINN_DETAIL_THREADS 0
#else
#define LINN_DETAIL_THREADS 1
#endif

// Whether this is code of a shared library, which finds thread_local variables by a call. Not on Windows.
#if defined(__PIC__) && !defined(__PIE__) && !defined(_WIN32)
#define LINN_DETAIL_SHARED 1
#else
#define LINN_DETAIL_SHARED 0
#endif

#if defined(__GNUC__) || defined(__clang__)
// -- GCC and Clang, in every mode -----------------------------------------------------------------

// Attributes, between [[ and ]]. They are spelled with underscores, since programs name macros `cold`, `always_inline` and the
// like. CUDA's compilers instead have a macro with the underscores.
#define LINN_DETAIL_LIKELY __likely__
#define LINN_DETAIL_UNLIKELY __unlikely__
#define LINN_DETAIL_NORETURN __noreturn__
#define LINN_DETAIL_DEPRECATED __deprecated__
#define LINN_DETAIL_ALWAYS_INLINE __gnu__::__always_inline__
#ifdef __noinline__
#define LINN_DETAIL_NOINLINE gnu::noinline
#else
#define LINN_DETAIL_NOINLINE __gnu__::__noinline__
#endif
// A slow path. GCC would call copies of it that are local to the object file, of which the linker keeps all.
#if defined(__clang__)
#define LINN_DETAIL_SLOW LINN_DETAIL_NOINLINE
#else
#define LINN_DETAIL_SLOW LINN_DETAIL_NOINLINE, __gnu__::__noclone__
#endif
// A slow path that does not pay for its compilation: optimised for size, apart from the code that runs often.
#define LINN_DETAIL_COLD LINN_DETAIL_SLOW, __gnu__::__cold__
#define LINN_DETAIL_RETURNS_NONNULL __gnu__::__returns_nonnull__
// Of an integer type: a vector of so many bytes. Only where compilers have such a thing.
#define LINN_DETAIL_VECTOR(bytes) __gnu__::__vector_size__(bytes)
// Of a thread_local variable: found without a call also by a shared library, which is loaded with the program then.
#define LINN_DETAIL_INITIAL_EXEC __gnu__::__tls_model__("initial-exec")

// Before a declaration, behind attributes in brackets. A function of which these sanitizers, in quotes, look at no access.
#define LINN_DETAIL_UNCHECKED(...) __attribute__((__no_sanitize__(__VA_ARGS__)))
// A function of which Clang's control flow integrity (`-fsanitize=cfi`) looks at no pointer.
#if defined(__clang__)
#define LINN_DETAIL_NO_CFI LINN_DETAIL_UNCHECKED("cfi")
#else
#define LINN_DETAIL_NO_CFI
#endif

// Where a module is a file in the format ELF. A function that need not exist, and then has the address null; and, behind a
// declaration, by what name the linker knows it.
#if defined(__ELF__)
#define LINN_DETAIL_WEAK __attribute__((__weak__))
#define LINN_DETAIL_SYMBOL(name) __asm__(name)
#endif

// An aggregate may be given fewer values than it has members. That is the caller's choice, and no reason for a warning between
// these two.
#define LINN_DETAIL_FEW_VALUES_BEGIN                                                                         \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define LINN_DETAIL_FEW_VALUES_END _Pragma("GCC diagnostic pop")

// The function that it stands in, with its template arguments, and where that returns to.
#define LINN_DETAIL_FUNCTION_NAME __PRETTY_FUNCTION__
#define LINN_DETAIL_RETURN_ADDRESS() __builtin_return_address(0)
// Never comes to pass.
#define LINN_DETAIL_UNREACHABLE() __builtin_unreachable()
// A variable may have any value from here on, for all that the compiler knows; and against what only Clang does.
#define LINN_DETAIL_HIDE(variable) asm("" : "+r"(variable))
#if defined(__clang__)
#define LINN_DETAIL_HIDE_FROM_CLANG(variable) LINN_DETAIL_HIDE(variable)
#else
#define LINN_DETAIL_HIDE_FROM_CLANG(variable) static_cast<void>(0)
#endif
// All memory was read and written here, for all that the compiler knows; and what a pointer leads to.
#define LINN_DETAIL_TOUCH_MEMORY() asm volatile("" ::: "memory")
#define LINN_DETAIL_TOUCH_ALL(pointer) asm volatile("" : : "r"(pointer) : "memory")

// Tells the processor that this is a spin loop.
#if defined(__x86_64__) || defined(__i386__)
#define LINN_DETAIL_SPIN_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define LINN_DETAIL_SPIN_PAUSE() __asm__ volatile("isb" ::: "memory")
#else
#define LINN_DETAIL_SPIN_PAUSE() static_cast<void>(0)
#endif

// A request to Valgrind: instructions that do nothing on a real processor. Only where Valgrind runs.
#if defined(__linux__) && defined(__x86_64__)
#define LINN_DETAIL_ASK_VALGRIND(answer, request)                                                            \
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"                 \
                     "xchgq %%rbx, %%rbx"                                                                    \
                     : "+d"(answer)                                                                          \
                     : "a"(&(request)[0])                                                                    \
                     : "cc", "memory")
#elif defined(__linux__) && defined(__aarch64__)
#define LINN_DETAIL_ASK_VALGRIND(answer, request)                                                            \
    __asm__ volatile("mov x3, %1\n\tmov x4, %2\n\t"                                                          \
                     "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"   \
                     "orr x10, x10, x10\n\t"                                                                 \
                     "mov %0, x3"                                                                            \
                     : "=r"(answer)                                                                          \
                     : "r"(0ULL), "r"(&(request)[0])                                                         \
                     : "cc", "memory", "x3", "x4")
#endif

// Declares a function without arguments that is called when the program starts, before the constructors of static objects. Among
// the names of all of the program `unique` is what leads to it. For Windows.
#define LINN_DETAIL_AT_START(function, unique) [[__gnu__::__constructor__(101)]] inline void function()

// As visible as a type of the standard library.
#define LINN_DETAIL_VISIBLE [[__gnu__::__visibility__("default")]]

// Where <unwind.h> walks the stack.
#if !defined(_MSC_VER) && __has_include(<unwind.h>)
#define LINN_DETAIL_UNWIND 1
#endif

// The module's own, a program's or a shared library's, and never exported; and a function without arguments that is called when
// it ends, which in ELF is before the destructors of its static objects. Modules of Windows share nothing.
#if defined(_WIN32)
#define LINN_DETAIL_HIDDEN
#else
#define LINN_DETAIL_HIDDEN [[__gnu__::__visibility__("hidden")]]
#define LINN_DETAIL_AT_END [[__gnu__::__destructor__]]
#endif

#else
// -- MSVC, in the same order ----------------------------------------------------------------------

#include <intrin.h>

#define LINN_DETAIL_LIKELY likely
#define LINN_DETAIL_UNLIKELY unlikely
#define LINN_DETAIL_NORETURN noreturn
#define LINN_DETAIL_DEPRECATED deprecated
#define LINN_DETAIL_ALWAYS_INLINE msvc::forceinline
#define LINN_DETAIL_NOINLINE msvc::noinline
#define LINN_DETAIL_SLOW LINN_DETAIL_NOINLINE
#define LINN_DETAIL_COLD LINN_DETAIL_NOINLINE
#define LINN_DETAIL_RETURNS_NONNULL
#define LINN_DETAIL_INITIAL_EXEC

#define LINN_DETAIL_UNCHECKED(...) __declspec(no_sanitize_address)
#define LINN_DETAIL_NO_CFI

#define LINN_DETAIL_FEW_VALUES_BEGIN
#define LINN_DETAIL_FEW_VALUES_END

#define LINN_DETAIL_FUNCTION_NAME __FUNCSIG__
#define LINN_DETAIL_RETURN_ADDRESS() _ReturnAddress()
#define LINN_DETAIL_UNREACHABLE() __assume(0)
#define LINN_DETAIL_HIDE(variable) static_cast<void>(0)
#define LINN_DETAIL_HIDE_FROM_CLANG(variable) static_cast<void>(0)
#define LINN_DETAIL_TOUCH_MEMORY() _ReadWriteBarrier()
#define LINN_DETAIL_TOUCH_ALL(pointer)                                                                       \
    (*static_cast<void* volatile*>(&(pointer)) = (pointer), _ReadWriteBarrier())

#if defined(_M_X64) || defined(_M_IX86)
#define LINN_DETAIL_SPIN_PAUSE() _mm_pause()
#elif defined(_M_ARM64)
#define LINN_DETAIL_SPIN_PAUSE() __isb(_ARM64_BARRIER_SY)
#else
#define LINN_DETAIL_SPIN_PAUSE() static_cast<void>(0)
#endif

// The C library calls what is in .CRT$XCL before .CRT$XCU, where constructors are.
#pragma section(".CRT$XCL", long, read)
#if defined(_M_IX86)
#define LINN_DETAIL_LINK(name) __pragma(comment(linker, "/include:_" #name))
#else
#define LINN_DETAIL_LINK(name) __pragma(comment(linker, "/include:" #name))
#endif
#define LINN_DETAIL_AT_START_(function, unique)                                                              \
    inline void function();                                                                                  \
    LINN_DETAIL_LINK(unique)                                                                                 \
    extern "C" __declspec(allocate(".CRT$XCL")) __declspec(selectany) void (*const unique)() = &function
#define LINN_DETAIL_AT_START(function, unique) LINN_DETAIL_AT_START_(function, unique)

#define LINN_DETAIL_VISIBLE
#define LINN_DETAIL_HIDDEN

#endif

// Clang for MSVC has not the standard's name either.
#if defined(_MSC_VER)
#define LINN_DETAIL_NO_UNIQUE_ADDRESS msvc::no_unique_address
#else
#define LINN_DETAIL_NO_UNIQUE_ADDRESS no_unique_address
#endif

#endif
