// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

namespace linn::tool {

/// Writes what it is given to a stream, compressed as gzip does. Throws std::bad_alloc.
class gzip_stream {
public:
    explicit gzip_stream(std::ostream& out);
    gzip_stream(const gzip_stream&) = delete;
    gzip_stream& operator=(const gzip_stream&) = delete;
    ~gzip_stream();

    void write(std::string_view bytes);

    /// Writes what is left. @pre nothing is written afterwards
    void finish();

private:
    class state;
    void compress(std::string_view bytes, bool is_last);

    std::ostream* out_;
    std::unique_ptr<state> state_;
};

} // namespace linn::tool
