// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_COMPILER_HPP
#define LINN_DETAIL_CORE_COMPILER_HPP

// All that depends on the compiler: the only header that names one, an attribute or a builtin of one, assembly, or a
// processor. Macros only, since config.hpp needs some of them to name the inline namespace. Three kinds of compilers: GCC and
// Clang, in every mode, with the attributes, builtins and assembly of GNU; MSVC; and any other one, which gets the language
// alone. Linn is correct without every attribute here; it is slower, or its tools see less.
//
// A macro that stands between [[ and ]] is one attribute or several. Attributes are spelled with underscores, since programs
// name macros `cold`, `always_inline` and the like.

#if defined(__GNUC__) || defined(__clang__)
#define LINN_DETAIL_GNU 1
#elif defined(_MSC_VER)
#define LINN_DETAIL_MSVC 1
#include <intrin.h>
#endif

// -- what is compiled -----------------------------------------------------------------------------

// MSVC says in `__cplusplus` what it said in 1998, if it is not told otherwise.
#if defined(_MSVC_LANG)
#define LINN_DETAIL_CPLUSPLUS _MSVC_LANG
#else
#define LINN_DETAIL_CPLUSPLUS __cplusplus
#endif

// GCC and MSVC define a macro for each sanitizer, Clang answers __has_feature.
#if defined(__SANITIZE_ADDRESS__)
#define LINN_DETAIL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LINN_DETAIL_ASAN 1
#endif
#endif
#ifndef LINN_DETAIL_ASAN
#define LINN_DETAIL_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define LINN_DETAIL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LINN_DETAIL_TSAN 1
#endif
#endif
#ifndef LINN_DETAIL_TSAN
#define LINN_DETAIL_TSAN 0
#endif

#if defined(__ELF__)
#define LINN_DETAIL_ELF 1
#else
#define LINN_DETAIL_ELF 0
#endif

// 1 where a library emulates thread_local variables: each use is a call, and it frees a thread's when the thread ends, before
// the destructors of thread_local objects run.
#if defined(__MINGW32__) && !defined(__clang__)
#define LINN_DETAIL_EMULATED_TLS 1
#elif defined(__CYGWIN__) || defined(__OpenBSD__) || defined(__ANDROID__)
#define LINN_DETAIL_EMULATED_TLS 1
#else
#define LINN_DETAIL_EMULATED_TLS 0
#endif

// 1 in code of a shared library, which finds thread_local variables by a call.
#if defined(__PIC__) && !defined(__PIE__)
#define LINN_DETAIL_SHARED 1
#else
#define LINN_DETAIL_SHARED 0
#endif

// -- attributes -----------------------------------------------------------------------------------

#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_LIKELY __likely__
#define LINN_DETAIL_UNLIKELY __unlikely__
#define LINN_DETAIL_NORETURN __noreturn__
#define LINN_DETAIL_DEPRECATED __deprecated__
#else
#define LINN_DETAIL_LIKELY likely
#define LINN_DETAIL_UNLIKELY unlikely
#define LINN_DETAIL_NORETURN noreturn
#define LINN_DETAIL_DEPRECATED deprecated
#endif

#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_ALWAYS_INLINE __gnu__::__always_inline__
#elif defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_ALWAYS_INLINE msvc::forceinline
#else
#define LINN_DETAIL_ALWAYS_INLINE
#endif

// CUDA's compilers have a macro with the underscores.
#if defined(LINN_DETAIL_GNU) && defined(__noinline__)
#define LINN_DETAIL_NOINLINE gnu::noinline
#elif defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_NOINLINE __gnu__::__noinline__
#elif defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_NOINLINE msvc::noinline
#else
#define LINN_DETAIL_NOINLINE
#endif

// A slow path. GCC would call copies of it that are local to the object file, of which the linker keeps all.
#if defined(LINN_DETAIL_GNU) && !defined(__clang__)
#define LINN_DETAIL_SLOW LINN_DETAIL_NOINLINE, __gnu__::__noclone__
#else
#define LINN_DETAIL_SLOW LINN_DETAIL_NOINLINE
#endif

// A slow path that does not pay for its compilation: optimised for size, apart from the code that runs often.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_COLD LINN_DETAIL_SLOW, __gnu__::__cold__
#else
#define LINN_DETAIL_COLD LINN_DETAIL_SLOW
#endif

#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_RETURNS_NONNULL __gnu__::__returns_nonnull__
#else
#define LINN_DETAIL_RETURNS_NONNULL
#endif

// Clang for MSVC does without the standard's name, too.
#if defined(_MSC_VER)
#define LINN_DETAIL_NO_UNIQUE_ADDRESS msvc::no_unique_address
#else
#define LINN_DETAIL_NO_UNIQUE_ADDRESS no_unique_address
#endif

// A type that reads and writes objects of any type. Where there is no such attribute, compilers assume nothing of types.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_MAY_ALIAS __gnu__::__may_alias__
#else
#define LINN_DETAIL_MAY_ALIAS
#endif

// Makes a vector of so many bytes of an integer type. Not defined where there is none.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_VECTOR(bytes) __gnu__::__vector_size__(bytes)
#endif

// A thread_local variable that is found without a call also in a shared library, which is loaded with the program then.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_INITIAL_EXEC __gnu__::__tls_model__("initial-exec")
#else
#define LINN_DETAIL_INITIAL_EXEC
#endif

// -- before a declaration, behind attributes in brackets ------------------------------------------

// The module's own, a program's or a shared library's, and never exported. Modules of Windows share nothing.
#if defined(LINN_DETAIL_GNU) && !defined(_WIN32)
#define LINN_DETAIL_HIDDEN [[__gnu__::__visibility__("hidden")]]
#else
#define LINN_DETAIL_HIDDEN
#endif

// A function of which these sanitizers, in quotes, look at no access.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_UNCHECKED(...) __attribute__((__no_sanitize__(__VA_ARGS__)))
#elif defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_UNCHECKED(...) __declspec(no_sanitize_address) // the only one
#else
#define LINN_DETAIL_UNCHECKED(...)
#endif

// A function of which Clang's control flow integrity (`-fsanitize=cfi`) looks at no pointer.
#if defined(__clang__)
#define LINN_DETAIL_NO_CFI __attribute__((__no_sanitize__("cfi")))
#else
#define LINN_DETAIL_NO_CFI
#endif

// A function that need not exist; its address is null then. In files of the format ELF.
#if LINN_DETAIL_ELF
#define LINN_DETAIL_WEAK __attribute__((__weak__))
#endif

// A function without arguments that is called when the program ends, of a shared library when that is unloaded: in files of the
// format ELF before the destructors of its static objects.
#if defined(LINN_DETAIL_GNU) && !defined(_WIN32)
#define LINN_DETAIL_AT_END [[__gnu__::__destructor__]]
#endif

// -- of a declaration -----------------------------------------------------------------------------

// The name that the linker knows the variable by.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_SYMBOL(name) __asm__(name)
#endif

// Declares an inline function without arguments that is called at the start of the program, before the constructors of static
// objects; `unique` names what leads to it in all of the program. Windows only.
#if defined(LINN_DETAIL_MSVC)
#pragma section(".CRT$XCL", long,                                                                            \
                read) // what the C library calls there before .CRT$XCU, which has the constructors
#if defined(_M_IX86)
#define LINN_DETAIL_LINKED(name) __pragma(comment(linker, "/include:_" #name))
#else
#define LINN_DETAIL_LINKED(name) __pragma(comment(linker, "/include:" #name))
#endif
#define LINN_DETAIL_AT_START(function, unique)                                                               \
    inline void function();                                                                                  \
    LINN_DETAIL_LINKED(unique)                                                                               \
    extern "C" __declspec(allocate(".CRT$XCL")) __declspec(selectany) void (*const unique)() = &function
#elif defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_AT_START(function, unique) [[__gnu__::__constructor__(101)]] inline void function()
#endif

// An aggregate may be given fewer values than it has members; that is the caller's choice, and no reason for a warning between
// these two.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_FEW_VALUES_BEGIN                                                                         \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define LINN_DETAIL_FEW_VALUES_END _Pragma("GCC diagnostic pop")
#else
#define LINN_DETAIL_FEW_VALUES_BEGIN
#define LINN_DETAIL_FEW_VALUES_END
#endif

// -- expressions and statements -------------------------------------------------------------------

// The function that it stands in, with its template arguments.
#if defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_FUNCTION_NAME __FUNCSIG__
#else
#define LINN_DETAIL_FUNCTION_NAME __PRETTY_FUNCTION__
#endif

// Where the function that it stands in returns to.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_RETURN_ADDRESS() __builtin_return_address(0)
#elif defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_RETURN_ADDRESS() _ReturnAddress()
#else
#define LINN_DETAIL_RETURN_ADDRESS() nullptr
#endif

// Never comes to pass.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_UNREACHABLE() __builtin_unreachable()
#elif defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_UNREACHABLE() __assume(0)
#else
#define LINN_DETAIL_UNREACHABLE() static_cast<void>(0)
#endif

// Hides the value of a variable from the compiler: it may be any from here on.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_HIDE(variable) asm("" : "+r"(variable))
#else
#define LINN_DETAIL_HIDE(variable) static_cast<void>(0)
#endif

// The same, against what only Clang does.
#if defined(__clang__)
#define LINN_DETAIL_HIDE_FROM_CLANG(variable) LINN_DETAIL_HIDE(variable)
#else
#define LINN_DETAIL_HIDE_FROM_CLANG(variable) static_cast<void>(0)
#endif

// The compiler must assume that all memory was read and written: what it knows of, and with a pointer what that leads to.
#if defined(LINN_DETAIL_GNU)
#define LINN_DETAIL_TOUCH_MEMORY() asm volatile("" ::: "memory")
#define LINN_DETAIL_TOUCH_ALL(pointer) asm volatile("" : : "r"(pointer) : "memory")
#elif defined(LINN_DETAIL_MSVC)
#define LINN_DETAIL_TOUCH_MEMORY() _ReadWriteBarrier()
#define LINN_DETAIL_TOUCH_ALL(pointer)                                                                       \
    (*static_cast<void* volatile*>(&(pointer)) = (pointer), _ReadWriteBarrier())
#else
#define LINN_DETAIL_TOUCH_MEMORY() static_cast<void>(0)
#define LINN_DETAIL_TOUCH_ALL(pointer)                                                                       \
    static_cast<void>(*static_cast<void* volatile*>(&(pointer)) = (pointer))
#endif

// Tells the processor that this is a spin loop.
#if defined(LINN_DETAIL_GNU) && (defined(__x86_64__) || defined(__i386__))
#define LINN_DETAIL_SPIN_PAUSE() __builtin_ia32_pause()
#elif defined(LINN_DETAIL_GNU) && defined(__aarch64__)
#define LINN_DETAIL_SPIN_PAUSE() __asm__ volatile("isb" ::: "memory")
#elif defined(LINN_DETAIL_MSVC) && (defined(_M_X64) || defined(_M_IX86))
#define LINN_DETAIL_SPIN_PAUSE() _mm_pause()
#elif defined(LINN_DETAIL_MSVC) && defined(_M_ARM64)
#define LINN_DETAIL_SPIN_PAUSE() __isb(_ARM64_BARRIER_SY)
#else
#define LINN_DETAIL_SPIN_PAUSE() static_cast<void>(0)
#endif

// Loads a word of the block that Windows has of each thread. Not defined where Linn does not know how.
#if defined(LINN_DETAIL_GNU) && defined(__x86_64__)
#define LINN_DETAIL_THREAD_BLOCK(value, offset, index)                                                       \
    asm volatile("movq %%gs:" #offset "(,%1,8), %0"                                                          \
                 : "=r"(value)                                                                               \
                 : "r"(static_cast<unsigned long long>(index)))
#elif defined(LINN_DETAIL_MSVC) && defined(_M_X64)
#define LINN_DETAIL_THREAD_BLOCK(value, offset, index)                                                       \
    static_cast<void>((value) = reinterpret_cast<void*>(__readgsqword((offset) + 8 * (index))))
#endif

// A request to Valgrind: instructions that do nothing on a real processor. Not defined where Valgrind does not run.
#if defined(LINN_DETAIL_GNU) && defined(__linux__) && defined(__x86_64__)
#define LINN_DETAIL_ASK_VALGRIND(answer, request)                                                            \
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"                 \
                     "xchgq %%rbx, %%rbx"                                                                    \
                     : "+d"(answer)                                                                          \
                     : "a"(&(request)[0])                                                                    \
                     : "cc", "memory")
#elif defined(LINN_DETAIL_GNU) && defined(__linux__) && defined(__aarch64__)
#define LINN_DETAIL_ASK_VALGRIND(answer, request)                                                            \
    __asm__ volatile("mov x3, %1\n\tmov x4, %2\n\t"                                                          \
                     "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"   \
                     "orr x10, x10, x10\n\t"                                                                 \
                     "mov %0, x3"                                                                            \
                     : "=r"(answer)                                                                          \
                     : "r"(std::uint64_t{0}), "r"(&(request)[0])                                             \
                     : "cc", "memory", "x3", "x4")
#endif

#endif
