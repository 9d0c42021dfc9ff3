// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <span>

namespace linn::tool {

/// A chunk in the form in which it is stored.
struct chunk_frame {
    frame_header header;
    std::span<const unsigned char> payload; ///< empty: there was nothing in the chunk
    const char* damage = nullptr;           ///< why the chunk was cut short; null: it was not
};

/// Looks through a chunk of the ring, cuts off what lies behind its last entry, and describes it. Writes into it how
/// much of it is used, which a process that died could not.
chunk_frame frame_of_chunk(std::span<unsigned char> chunk);

} // namespace linn::tool
