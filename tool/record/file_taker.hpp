// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector.hpp"

#include <mutex>
#include <string>

namespace linn::tool {

/// Puts chunks into a trace.
class file_taker final : public chunk_taker {
public:
    explicit file_taker(trace_writer& writer) noexcept : writer_(writer) {}

    void take(const chunk_frame& frame, frame_compressor& compressor) override {
        frame_header header = frame.header;
        header.kind = frame_kind::chunk;
        const auto stored = compressor.compress(frame.payload, trace_writer::compression_level, header);
        const std::lock_guard lock{mutex_};
        writer_.write_compressed_chunk(header, stored);
    }

    std::string problem() override {
        const std::lock_guard lock{mutex_};
        return writer_.problem();
    }

    /// Writes the end. @pre no thread takes any more
    void finish(const recording_end& end) { writer_.write_end(end); }

private:
    trace_writer& writer_;
    std::mutex mutex_;
};

} // namespace linn::tool
