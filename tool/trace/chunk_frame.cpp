// SPDX-License-Identifier: Apache-2.0
#include "chunk_frame.hpp"

#include "chunk_look.hpp"

namespace linn::tool {

chunk_frame frame_of_chunk(std::span<unsigned char> chunk) {
    wire::chunk_sink nobody;
    return frame_of_chunk(chunk, nobody);
}

} // namespace linn::tool
