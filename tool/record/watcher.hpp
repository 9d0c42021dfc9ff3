// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/recording_facts.hpp"
#include "child_program.hpp"
#include "collector.hpp"
#include "ring_file.hpp"

#include <cstdint>

namespace linn::tool {

/// Looks on while a program is recorded. The trace does not depend on it.
class recording_watcher : public chunk_observer {
public:
    /// Before a program is started, in the thread that starts it; what the program gets as its standard streams.
    virtual child_streams prepare() { return {}; }
    /// The program runs. `ring` lives until end(); `only_pid`: the process that alone is recorded, 0: all are.
    virtual void begin(const ring_file& ring, const recording_start& start, std::uint32_t only_pid) = 0;
    /// The program has ended, or could not be started.
    virtual void end() = 0;
};

} // namespace linn::tool
