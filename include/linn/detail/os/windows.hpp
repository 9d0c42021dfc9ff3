// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_WINDOWS_HPP
#define LINN_DETAIL_OS_WINDOWS_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// The few functions of Windows that Linn calls, declared as its own header declares them, which may come
// before or after. That header is not included: it is large, and its macros (`min`, `small`, ...) break
// the code of a program that includes us.
struct _MEMORY_BASIC_INFORMATION;
struct HINSTANCE__;

extern "C" {
#if defined(_WIN64)
using linn_windows_size = unsigned long long;
using linn_windows_function = long long(__stdcall*)();
#else
using linn_windows_size = unsigned long;
using linn_windows_function = int(__stdcall*)();
#endif
__declspec(dllimport) void* __stdcall VirtualAlloc(void*, linn_windows_size, unsigned long, unsigned long);
__declspec(dllimport) int __stdcall VirtualFree(void*, linn_windows_size, unsigned long);
__declspec(dllimport) linn_windows_size __stdcall VirtualQuery(const void*, _MEMORY_BASIC_INFORMATION*,
                                                               linn_windows_size);
__declspec(dllimport) unsigned long long __stdcall GetTickCount64();
__declspec(dllimport) unsigned long __stdcall GetCurrentThreadId();
__declspec(dllimport) void __stdcall Sleep(unsigned long);
__declspec(dllimport) void __stdcall FlushProcessWriteBuffers();
__declspec(dllimport) unsigned long __stdcall FlsAlloc(void(__stdcall*)(void*));
__declspec(dllimport) int __stdcall FlsSetValue(unsigned long, void*);
__declspec(dllimport) int __stdcall FlsFree(unsigned long);
__declspec(dllimport) HINSTANCE__* __stdcall GetModuleHandleA(const char*);
__declspec(dllimport) linn_windows_function __stdcall GetProcAddress(HINSTANCE__*, const char*);
}

namespace linn::inline LINN_ABI::detail::windows {

/// What VirtualQuery tells about an address: MEMORY_BASIC_INFORMATION.
struct region {
    void* base = nullptr;
    void* allocation_base = nullptr;
    unsigned long allocation_protect = 0;
#if defined(_WIN64)
    unsigned short partition = 0;
#endif
    std::size_t bytes = 0;
    unsigned long state = 0;
    unsigned long protect = 0;
    unsigned long type = 0;
};

inline constexpr unsigned long mem_commit = 0x1000;
inline constexpr unsigned long mem_reserve = 0x2000;
inline constexpr unsigned long mem_decommit = 0x4000;
inline constexpr unsigned long mem_release = 0x8000;
inline constexpr unsigned long page_noaccess = 0x01;
inline constexpr unsigned long page_readwrite = 0x04;
inline constexpr unsigned long page_guard = 0x100;
inline constexpr std::size_t allocation_granularity = 65536;

inline bool query(const void* p, region& out) noexcept {
    return ::VirtualQuery(p, reinterpret_cast<_MEMORY_BASIC_INFORMATION*>(&out), sizeof out) != 0;
}

/// Whether this is Wine, which has all functions of Windows, but not all of their effects.
inline bool is_wine() noexcept {
    HINSTANCE__* const library = ::GetModuleHandleA("ntdll.dll");
    return library != nullptr && ::GetProcAddress(library, "wine_get_version") != nullptr;
}

/// A function of kernelbase.dll that older systems lack, null there. Its import library is not one that every
/// program is linked with.
template <class Function>
Function* kernel_function(const char* name) noexcept {
    HINSTANCE__* const library = ::GetModuleHandleA("kernelbase.dll");
    if (library == nullptr) {
        return nullptr;
    }
    const auto found = ::GetProcAddress(library, name);
    Function* function = nullptr;
    static_assert(sizeof found == sizeof function);
    std::memcpy(&function, &found, sizeof function);
    return function;
}

} // namespace linn::inline LINN_ABI::detail::windows

namespace linn::inline LINN_ABI::detail {

/// Windows cancels no threads.
struct uncancelled {
    uncancelled() noexcept {}
};

/// A number that no other live thread of the process has.
LINN_DETAIL_OF_THREAD inline std::uintptr_t current_thread() noexcept {
    LINN_DETAIL_FIND_THREAD();
    return ::GetCurrentThreadId();
}

/// Windows copies no processes.
inline void at_fork(void (*)(), void (*)(), void (*)()) noexcept {}

/// A value that each thread has under a key, null at first. When a thread ends that has one, `Run` gets it.
template <void (*Run)(void*)>
struct thread_values {
    /// @returns the key; -1 when there is none to be had
    static std::intptr_t make() noexcept {
        const unsigned long key = ::FlsAlloc(&call);
        return key != 0xffffffffUL ? static_cast<std::intptr_t>(key) : -1;
    }
    static void drop(std::uintptr_t key) noexcept { ::FlsFree(static_cast<unsigned long>(key)); }
    static bool set(std::uintptr_t key, const void* value) noexcept {
        return ::FlsSetValue(static_cast<unsigned long>(key), const_cast<void*>(value)) != 0;
    }

private:
    static void __stdcall call(void* value) {
        if (value != nullptr) {
            Run(value);
        }
    }
};

// Destructor functions of MinGW are called before the static objects of namespaces are destroyed, and MSVC has none. But what is
// registered with atexit before all constructors is called last. GCC forgets the priority of a template, so there is a list.
struct program_end {
    using function = void (*)();
    static inline constinit bool awaited = false;
    static inline constinit function calls[16]{};

    static bool call(function at_end) noexcept {
        for (function& f : calls) {
            if (f == nullptr || f == at_end) {
                f = at_end;
                return true;
            }
        }
        return false;
    }
    static void run() {
        for (std::size_t i = sizeof calls / sizeof *calls; i-- != 0;) { // the last first, as elsewhere
            if (calls[i] != nullptr) {
                calls[i]();
            }
        }
    }
};

LINN_DETAIL_AT_START(await_program_end, LINN_DETAIL_JOIN(linn_, LINN_ABI, _await_program_end, , , ));
inline void await_program_end() {
    if (!program_end::awaited) { // each translation unit asks
        program_end::awaited = std::atexit(&program_end::run) == 0;
    }
}

/// Calls `Run` when the program or the library ends, after the destructors of static objects. Each module that odr-uses it calls it.
template <void (*Run)()>
inline const bool at_program_end = program_end::call(Run);

/// Milliseconds from some moment on, never backwards; good to 16 milliseconds.
struct coarse_clock {
    static std::uint64_t now_ms() noexcept { return ::GetTickCount64(); }
};

/// Nanoseconds from some moment on, never backwards; good to 16 milliseconds.
struct precise_clock {
    static std::uint64_t now_ns() noexcept { return ::GetTickCount64() * 1'000'000; }
};

/// Stops the calling thread for a millisecond or more.
inline void sleep_briefly(long microseconds = 50) noexcept {
    ::Sleep(static_cast<unsigned long>((microseconds + 999) / 1000));
}

/// Sleeps while `*word` is `expected`, for `ns` nanoseconds at most; may return early. Windows 8 has a futex of its own; before that a
/// sleeper looks once a millisecond.
inline void futex_wait(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t day = 86'400'000; // may return early
    const std::uint64_t ms = ns / 1'000'000 + 1;
    static const auto wait = windows::kernel_function<int __stdcall(
        const volatile void*, const void*, linn_windows_size, unsigned long)>("WaitOnAddress");
    if (wait != nullptr) {
        wait(word, &expected, sizeof expected, static_cast<unsigned long>(ms < day ? ms : day));
    } else {
        ::Sleep(1);
    }
}

inline void futex_wake_one(const void* word) noexcept {
    static const auto wake = windows::kernel_function<void __stdcall(const void*)>("WakeByAddressSingle");
    if (wake != nullptr) {
        wake(word);
    }
}

/// False on Wine, where FlushProcessWriteBuffers did nothing until version 8 at least.
inline bool enable_thread_barrier() noexcept {
    return !windows::is_wine();
}
/// Makes every thread of the process that runs at this moment execute a full memory barrier.
/// @pre `enable_thread_barrier` returned true
inline void thread_barrier() noexcept {
    ::FlushProcessWriteBuffers();
}

/// Pages straight from Windows: zeroed, untouched until used, returned on request. All of a mapping
/// counts against the system's commit limit from the start.
/// @threads any thread
struct system_pages {
    static constexpr bool zeroed = true;

    static constexpr std::size_t offset_step() noexcept { return windows::allocation_granularity; }

    /// Memory that begins `offset` behind a multiple of `align`. Null when the system refuses. @complexity one system call, or
    /// about three
    static void* map(std::size_t bytes, std::size_t align, std::size_t offset = 0) noexcept {
        if (align <= windows::allocation_granularity) {
            return commit(nullptr, bytes);
        }
        const std::size_t wide = bytes + align - windows::allocation_granularity;
        if (wide < bytes) {
            return nullptr;
        }
        // Windows takes back whole reservations only, so no ends can be cut off: look for room, let go
        // of it, and ask for the aligned part. Another thread may be faster.
        for (int attempt = 0; attempt < 8; ++attempt) {
            void* room = ::VirtualAlloc(nullptr, wide, windows::mem_reserve, windows::page_noaccess);
            if (room == nullptr) {
                return nullptr;
            }
            ::VirtualFree(room, 0, windows::mem_release);
            if (void* p = commit(aligned_in(room, align, offset), bytes)) {
                return p;
            }
        }
        // Too much going on: the ends stay reserved, which costs addresses only.
        void* room = ::VirtualAlloc(nullptr, wide, windows::mem_reserve, windows::page_noaccess);
        if (room == nullptr) {
            return nullptr;
        }
        void* p = ::VirtualAlloc(aligned_in(room, align, offset), bytes, windows::mem_commit,
                                 windows::page_readwrite);
        if (p == nullptr) {
            ::VirtualFree(room, 0, windows::mem_release);
        }
        return p;
    }

    static void unmap(void* p, std::size_t, std::size_t) noexcept {
        windows::region r;
        if (windows::query(p, r)) {
            ::VirtualFree(r.allocation_base, 0, windows::mem_release);
        }
    }

    /// The addresses stay ours and read as zero; the memory goes back.
    static bool discard(void* p, std::size_t bytes) noexcept {
        if (::VirtualFree(p, bytes, windows::mem_decommit) == 0) {
            return false;
        }
        // Objects will be put here without another call, so it must be committed again. What was let go a
        // moment ago is refused only if another process needed the very last of it meanwhile.
        for (int attempt = 0; attempt < 1000; ++attempt) {
            if (::VirtualAlloc(p, bytes, windows::mem_commit, windows::page_readwrite) != nullptr) {
                return true;
            }
            ::Sleep(1);
        }
        std::abort();
    }

    static void prefer_huge(void*, std::size_t) noexcept {}
    static void prefer_small(void*, std::size_t) noexcept {}

    /// Whether `p`, which may be any address, lies in memory that can be read.
    static bool readable(const void* p) noexcept {
        windows::region r;
        return windows::query(p, r) && r.state == windows::mem_commit && r.protect != 0 &&
               (r.protect & (windows::page_noaccess | windows::page_guard)) == 0;
    }

private:
    static void* commit(void* at, std::size_t bytes) noexcept {
        return ::VirtualAlloc(at, bytes, windows::mem_reserve | windows::mem_commit, windows::page_readwrite);
    }
    static void* aligned_in(void* room, std::size_t align, std::size_t offset) noexcept {
        const auto from = reinterpret_cast<std::uintptr_t>(room) - offset;
        return reinterpret_cast<void*>(((from + align - 1) & ~(align - 1)) + offset);
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
