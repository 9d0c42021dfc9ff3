// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace linn::tool {

/// A clang-tidy and the plugin that was built for its version.
struct tidy_program {
    std::string path;
    std::string version; ///< "19.1.7"
    int major = 0;
    std::string plugin;
};

/// What the user said about it; empty where nothing.
struct tidy_choice {
    std::string clang_tidy;
    std::string plugin;
};

/// There is no clang-tidy, no plugin, or the two do not belong together; the message says what is there and what to do.
class no_tidy_program : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The newest clang-tidy for which a plugin lies next to the tool, or the one that was chosen; it has been started with the
/// plugin, and knows the checks. @throws no_tidy_program
tidy_program find_tidy_program(const tidy_choice& choice, const interrupt_guard& guard);

} // namespace linn::tool
