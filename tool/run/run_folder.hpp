// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"

#include <filesystem>
#include <string>

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

} // namespace linn::tool
