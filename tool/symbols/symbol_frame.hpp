// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace linn::tool {

/// One function on a stack; several for one address where functions were inlined.
struct symbol_frame {
    std::string function; ///< demangled, with template arguments; empty: not known
    std::string file;     ///< as the debug information names it, joined with its directory; empty: not known
    unsigned line = 0;
    unsigned column = 0;
    bool is_inlined = false; ///< into the next frame of the same address
    std::string library =
        {}; ///< "libxml2.so.2": another project's shared library that it is in; empty: in none
};

} // namespace linn::tool
