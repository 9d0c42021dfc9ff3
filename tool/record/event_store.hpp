// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/writer.hpp"

#include <filesystem>
#include <string>

namespace linn::tool {

/// The events of a recording of which only the statistics are kept: a trace in a file without a name, which goes away
/// with this process however it ends. Statistics need the events in the order of time over all threads, which is
/// known only at the end.
class event_store {
public:
    explicit event_store(int level) noexcept : writer_{level} {}
    event_store(const event_store&) = delete;
    event_store& operator=(const event_store&) = delete;
    ~event_store();

    /// Creates it on the disk that holds `neighbour`. Returns an empty string or what went wrong.
    std::string open(const std::filesystem::path& neighbour);

    trace_writer& writer() noexcept { return writer_; }

    /// The payload of the aggregate frame. @pre the end was written
    std::string statistics() const;

private:
    trace_writer writer_;
    int fd_ = -1; ///< to read from
};

} // namespace linn::tool
