// SPDX-License-Identifier: Apache-2.0
#include "gzip_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <ostream>

namespace linn::tool {

class gzip_stream::state {
public:
    state() {
        constexpr int gzip_window = 15 + 16; // the largest window; 16 asks for gzip's frame
        constexpr int memory_level = 8;
        if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                           Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::bad_alloc{};
        }
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() { ::deflateEnd(&stream); }

    z_stream stream{};
    std::array<char, 65536> buffer{};
};

gzip_stream::gzip_stream(std::ostream& out) : out_{&out}, state_{std::make_unique<state>()} {}

gzip_stream::~gzip_stream() = default;

void gzip_stream::compress(std::string_view bytes, bool is_last) {
    z_stream& z = state_->stream;
    // zlib promises not to write through it.
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    do {
        z.next_out = reinterpret_cast<Bytef*>(state_->buffer.data());
        z.avail_out = static_cast<uInt>(state_->buffer.size());
        ::deflate(&z, is_last ? Z_FINISH : Z_NO_FLUSH);
        out_->write(state_->buffer.data(), static_cast<std::streamsize>(state_->buffer.size() - z.avail_out));
    } while (z.avail_out == 0);
}

void gzip_stream::write(std::string_view bytes) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size()))) {
        compress(bytes.substr(0, most), false);
    }
}

void gzip_stream::finish() {
    compress({}, true);
}

} // namespace linn::tool
