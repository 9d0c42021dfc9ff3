// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"

#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// The allocators that can be built, in the catalogue's order.
std::vector<std::string> installable_names();

/// How the installation of one allocator ended.
struct install_outcome {
    std::string version;
    std::string problem; ///< why nothing was installed, with the log's last lines; empty: it is
    bool is_interrupted = false;
};

/// What stands in the way of all installations: no cache folder, missing programs with the command to get them. Empty: nothing.
std::string why_not_installable(const std::vector<std::string>& names, const interrupt_guard& guard);

/// Downloads and builds an allocator from the archives that install/sources.txt lists, and puts it into the cache folder once
/// this program finds that it can be used. An earlier copy of the same version is replaced then. Archives stay in the folder
/// `downloads`, whole or for the next call to go on. `tick` is called a few times a second.
install_outcome install_allocator(const std::string& name, const interrupt_guard& guard,
                                  const std::function<void()>& tick);

} // namespace linn::tool
