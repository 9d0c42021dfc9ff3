// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/ring.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// The memory that the recorded processes and the collector share: a file without a name, of which only those pages
/// exist that were used.
class ring_file {
public:
    ring_file() = default;
    ring_file(const ring_file&) = delete;
    ring_file& operator=(const ring_file&) = delete;
    ~ring_file();

    /// Makes it. `chunks`: of 256 KiB; a thread that allocates holds one. Where a limit of this process allows fewer,
    /// there are fewer. Returns an empty string or what went wrong.
    std::string create(std::size_t chunks, const wire::ring_options& options);

    /// The same in a file that the recorded program has made and opened: takes the descriptor.
    std::string adopt(int fd, std::uint32_t chunks, const wire::ring_options& options);

    const wire::ring& ring() const noexcept { return ring_; }

    /// What a program needs in its environment to find the file: "LINN_RECORD=…".
    std::string variable() const;

    /// Returns the memory of a chunk without an owner; all zero afterwards.
    void punch(std::uint32_t chunk) const noexcept;

private:
    int fd_ = -1;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    wire::ring ring_;
};

/// Copies chunk `i`, which stays its owner's. False: a writer does not own it, or handed it over meanwhile.
bool copy_owned(const wire::ring& ring, std::uint32_t i, std::vector<unsigned char>& copy);

} // namespace linn::tool
