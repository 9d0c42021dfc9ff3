// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ring_file.hpp"

#include <cstdint>
#include <filesystem>

namespace linn::tool {

/// Looks on while a program is recorded. The trace does not depend on it.
class recording_watcher {
public:
    virtual ~recording_watcher() = default;
    /// The program runs. `ring` lives until end(); `trace` is the file that is being written; `only_pid`: the process that alone
    /// is recorded, 0: all are.
    virtual void begin(const ring_file& ring, const std::filesystem::path& trace, std::uint32_t only_pid) = 0;
    /// The program has ended.
    virtual void end() = 0;
};

} // namespace linn::tool
