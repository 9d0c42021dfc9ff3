// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace linn::bmalloc {

/// The functions of WebKit's allocator, as its library exports them. The last argument says how pointers to the block
/// may be stored; zero means as they are.
struct functions {
    void* (*allocate)(std::size_t size, int mode) = nullptr;
    void* (*allocate_zeroed)(std::size_t size, int mode) = nullptr;
    void* (*allocate_aligned)(std::size_t size, std::size_t alignment, int mode) = nullptr;
    void (*deallocate)(void* block) = nullptr;
    std::size_t (*size_of)(void* block) = nullptr; ///< 0 for what is not its own
};

/// Loads the library and makes the allocator ready, so that later calls need neither the loader nor the environment.
/// Null when there is no such library, or one without these functions. @pre no other thread allocates from it meanwhile
const functions* load_webkit();

/// The library's file, if its heap knows a block that malloc gives and does not know one of the C library. Else null.
const char* prove_webkit(const functions& webkit);

} // namespace linn::bmalloc
