// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_DSO_PARTS_HPP
#define LINN_TESTS_DSO_PARTS_HPP

#include <cstddef>

/// One public part of the library, as a module uses it. No type of Linn's: a program without it loads such a module.
struct part {
    const char* name;
    void (*use)();   ///< and leaves nothing
    void (*leave)(); ///< leaves something that nobody gives back: the loader takes the module away under it
};

struct parts {
    const part* all;
    std::size_t count;
    // Null where the module does not have it:
    void (*report_leaks_at_exit)();
    void* (*make_resource)();
    void (*ask_resource)(void* made); ///< by another module, which may be gone
};

using get_parts = const parts*();

#endif
