// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace linn::tool {

/// A private temporary folder for one run, removed with everything in it.
class run_folder {
public:
    /// Throws std::filesystem::filesystem_error when none can be made.
    run_folder();

    /// Where the probe writes; it exists and anybody may append to it, because a program may change its user.
    std::filesystem::path records() const { return folder_.path() / "records"; }

    /// A name of `library` that LD_PRELOAD can hold, which splits at spaces and colons and expands dollars.
    std::string preloadable(const std::filesystem::path& library);

private:
    temporary_folder folder_;
};

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
