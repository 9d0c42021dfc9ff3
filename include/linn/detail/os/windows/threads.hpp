// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_WINDOWS_THREADS_HPP
#define LINN_DETAIL_OS_WINDOWS_THREADS_HPP

#include <linn/config.hpp>
#include <linn/detail/os/windows/api.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

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

inline std::intptr_t key_or_none(unsigned long n) noexcept {
    return n != 0xffffffffUL ? static_cast<std::intptr_t>(n) : -1;
}

/// A value that each thread has under a key, null at first. When a thread ends that has one, `Run` gets it.
template <void (*Run)(void*)>
struct thread_values {
    /// @returns the key; -1 when there is none to be had
    static std::intptr_t make() noexcept { return key_or_none(::FlsAlloc(&call)); }
    static void drop(std::uintptr_t key) noexcept { ::FlsFree(static_cast<unsigned long>(key)); }
    static bool set(std::uintptr_t key, const void* value) noexcept {
        return ::FlsSetValue(static_cast<unsigned long>(key), const_cast<void*>(value)) != 0;
    }
    static void* get(std::uintptr_t key) noexcept { return ::FlsGetValue(static_cast<unsigned long>(key)); }

private:
    static void __stdcall call(void* value) {
        if (value != nullptr) {
            Run(value);
        }
    }
};

/// Without a function. Such values last as long as the thread.
template <>
struct thread_values<nullptr> {
    static std::intptr_t make() noexcept { return key_or_none(::TlsAlloc()); }
    static void drop(std::uintptr_t key) noexcept { ::TlsFree(static_cast<unsigned long>(key)); }
    static bool set(std::uintptr_t key, const void* value) noexcept {
        return ::TlsSetValue(static_cast<unsigned long>(key), const_cast<void*>(value)) != 0;
    }
    /// Unlike `TlsGetValue` it leaves the thread's last error alone, and the first 64 places cost one load: they lie in the
    /// thread's own block of the system.
    /// @source Russinovich, Solomon, Ionescu: Windows Internals, on the thread environment block
    [[LINN_DETAIL_ALWAYS_INLINE]] static void* get(std::uintptr_t key) noexcept {
        // volatile, as every memory access here: the compiler does not know that a call changes the place.
#if defined(LINN_DETAIL_THREAD_BLOCK)
        if (key < 64) [[LINN_DETAIL_LIKELY]] {
            void* value;
            LINN_DETAIL_THREAD_BLOCK(value, 0x1480, key);
            return value;
        }
#endif
        const unsigned long error = ::GetLastError();
        void* const value = ::TlsGetValue(static_cast<unsigned long>(key));
        ::SetLastError(error);
        return value;
    }
};

/// FlsFree calls back for every thread that has a value.
inline constexpr bool dropped_keys_call = true;
inline constexpr bool thread_values_are_near = true;

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

} // namespace linn::inline LINN_ABI::detail

#endif
