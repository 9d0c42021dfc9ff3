// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../measure/process.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The allocators that can be built, in the catalogue's order.
std::vector<std::string> installable_names();

/// How the installation of one allocator ended.
struct install_outcome {
    std::string name;
    std::string version;
    std::filesystem::path library; ///< where it is now; empty: nothing was installed
    std::string problem;           ///< why not, with the log's last lines; empty: it is
    bool interrupted = false;
    double seconds = 0;
};

/// Builds allocators from the archives that install/sources.txt lists, in a folder that is removed with this object, and
/// moves what works into the cache folder. Archives stay in its folder `downloads`, whole or for the next call to go on.
class installer {
public:
    /// `tick` is called a few times a second with what is being done.
    installer(const interrupt_guard& guard, std::function<void(const std::string&)> tick);
    installer(const installer&) = delete;
    installer& operator=(const installer&) = delete;
    ~installer();

    /// What stands in the way of all of it: no cache folder, missing programs with the command to get them. Empty: nothing.
    std::string prepare(const std::vector<std::string>& names);

    /// Downloads, builds, tries and moves one. An earlier copy of the same version is replaced, once the new one works.
    install_outcome install(const std::string& name);

private:
    child_result script(std::vector<std::string> arguments, const std::string& doing) const;
    std::string build(install_outcome& outcome);
    std::string keep(install_outcome& outcome, const std::filesystem::path& built);
    std::string failure(const child_result& child, std::string_view what,
                        const std::filesystem::path& log) const;

    const interrupt_guard& guard_;
    std::function<void(const std::string&)> tick_;
    std::filesystem::path cache_;
    std::filesystem::path work_; ///< empty until prepared
};

} // namespace linn::tool
