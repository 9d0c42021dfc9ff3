// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PROGRAM_END_HPP
#define LINN_DETAIL_OS_PROGRAM_END_HPP

#include <linn/config.hpp>

#if defined(_WIN32)
#include <cstdlib>
#endif

namespace linn::inline LINN_ABI::detail {

// `at_program_end<Run>` calls `Run` when the program ends: after the functions of `atexit` and the destructors of static
// objects. In a shared library, when that is unloaded or the program ends, before the destructors of its static objects.
// Each module that odr-uses it calls it, once or more often. A template, so that a program that does not ask for `Run` does
// not have it.

#if defined(_WIN32)
// MinGW calls destructor functions before it destroys the static objects of namespaces. But what is registered with
// atexit before all constructors is called last. GCC forgets the priority of a template, so there is a list.
struct program_end {
    using function = void (*)();
    static inline constinit bool awaited = false;
    static inline constinit function calls[16]{};

    static void run() {
        for (const function f : calls) {
            if (f != nullptr) {
                f();
            }
        }
    }
};

[[__gnu__::__constructor__(101)]] inline void await_program_end() {
    if (!program_end::awaited) { // each translation unit asks
        program_end::awaited = std::atexit(&program_end::run) == 0;
    }
}

template <void (*Run)()>
[[__gnu__::__constructor__]] void at_program_end() {
    for (auto& f : program_end::calls) {
        if (f == nullptr || f == Run) {
            f = Run;
            return;
        }
    }
}
#else
template <void (*Run)()>
LINN_DETAIL_HIDDEN [[__gnu__::__destructor__]] void at_program_end() {
    Run();
}
#endif

} // namespace linn::inline LINN_ABI::detail

#endif
