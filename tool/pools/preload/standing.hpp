// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace linn::tool::pools {

/// Who defines functions of ours before us in the loader's order, so that ours are not called.
struct standing {
    const char* owns_malloc = nullptr; ///< the file that brings malloc or free; "" is the program
    const char* owns_delete = nullptr; ///< the file that brings an operator delete, of any form
    bool owns_a_new = false;           ///< the program or a library brings an operator new, of any form
};
standing who_stands_before() noexcept;

} // namespace linn::tool::pools
