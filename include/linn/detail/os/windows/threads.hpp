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

} // namespace linn::inline LINN_ABI::detail

#endif
