// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace linn::tool {

/// Which file provides one function that allocates or frees.
struct provider {
    std::string function; ///< "malloc", "operator new" …
    std::string file;     ///< as the dynamic loader names it, resolved to a real path
};

/// Asks the running process who provides each function, twice: by name as any later library would find it, and by
/// the address this program really calls. Where the two differ, the file reads "FILE (called) but FILE (by name)".
std::vector<provider> memory_providers();

/// True when the file, a resolved path, is mapped into this process.
bool is_mapped(const std::string& file);

} // namespace linn::tool
