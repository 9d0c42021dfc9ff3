// SPDX-License-Identifier: Apache-2.0
#include "corruption.hpp"

#include "reader.hpp"
#include "trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

namespace linn::tool {
namespace {

/// What is wrong first, and where; empty: nothing.
std::string first_fault(const trace_file& trace, std::istream& file) {
    std::uint64_t at = file_header_bytes;
    std::vector<unsigned char> bytes;
    const auto read = [&](std::uint64_t from, std::size_t count) {
        bytes.resize(count);
        file.clear();
        file.seekg(static_cast<std::streamoff>(from));
        file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
        return static_cast<std::size_t>(file.gcount()) == count;
    };
    for (const frame_place& frame : trace.frames()) {
        if (frame.payload != at + frame_header::bytes) {
            return fmt::format("from byte {} on", at);
        }
        if (!read(frame.payload, frame.header.stored_bytes) || crc_of(bytes) != frame.header.payload_crc) {
            return fmt::format("in the {} bytes from byte {} on", frame.header.stored_bytes, frame.payload);
        }
        at = frame.payload + frame.header.stored_bytes;
    }
    // What was cut off ends within a frame; a file system that was cut off may have put zeros there.
    if (trace.size() - at < frame_header::bytes || !read(at, frame_header::bytes)) {
        return {};
    }
    std::array<unsigned char, frame_header::bytes> head{};
    std::copy(bytes.begin(), bytes.end(), head.begin());
    const bool is_empty = std::all_of(head.begin(), head.end(), [](unsigned char byte) { return byte == 0; });
    return is_empty || frame_header::unpack(head) ? std::string{} : fmt::format("from byte {} on", at);
}

} // namespace

std::string why_corrupt(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        return {};
    }
    const trace_file trace{path};
    const std::string where = first_fault(trace, file);
    return where.empty()
               ? where
               : fmt::format("{} is damaged {}: a checksum is wrong there, so it is not what linn record "
                             "wrote; copy it again, or record again",
                             path.string(), where);
}

void refuse_corrupt(const std::filesystem::path& file) {
    if (const std::string why = why_corrupt(file); !why.empty()) {
        throw damaged_trace{why};
    }
}

} // namespace linn::tool
