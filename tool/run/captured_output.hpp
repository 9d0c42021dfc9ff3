// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace linn::tool {

/// What a program wrote, kept in memory outside the heap. Copies share it.
class captured_output {
public:
    captured_output() = default;
    explicit captured_output(int fd) noexcept; ///< takes a memory file over
    std::uint64_t size() const noexcept;
    std::string_view text() const noexcept; ///< the whole of it, mapped
    /// The last lines, at most `lines` and `bytes`, without control characters that would move a cursor.
    std::string tail(std::size_t lines, std::size_t bytes = 2000) const;
    bool operator==(const captured_output& other) const noexcept;

private:
    struct mapping;
    std::shared_ptr<const mapping> mapping_;
};

} // namespace linn::tool
