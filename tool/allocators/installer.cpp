// SPDX-License-Identifier: Apache-2.0
#include "installer.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "catalogue.hpp"
#include "finder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <sstream>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_step{3600};

/// What build.sh did; `problem` is empty where it ended well.
child_result run_script(std::vector<std::string> arguments, const interrupt_guard& guard,
                        const std::function<void()>& tick, std::string& problem) {
    std::error_code error;
    arguments.insert(arguments.begin(), {"/bin/bash", companion("allocator-install/build.sh").string()});
    const std::string self = "LINN_TOOL=" + fs::read_symlink("/proc/self/exe", error).string();
    const child_result child = run_child(arguments, child_environment({}, {self}), longest_step, guard, tick);
    if (child.how != child_result::ending::exited || (child.code != 0 && child.err.empty())) {
        problem = describe_ending(child, longest_step);
    } else if (child.code != 0) {
        problem = child.err.substr(0, child.err.find_last_not_of('\n') + 1);
    }
    return child;
}

} // namespace

std::vector<std::string> installable_names() {
    std::vector<std::string> names;
    for (const known_allocator& a : known_allocators()) {
        if (a.can_install) {
            names.emplace_back(a.name);
        }
    }
    return names;
}

std::string why_not_installable(const std::vector<std::string>& names, const interrupt_guard& guard) {
    if (cache_folder().empty()) {
        return "there is no folder to install to: set HOME or XDG_CACHE_HOME";
    }
    std::vector<std::string> arguments{"needs"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    std::string problem;
    std::istringstream in{run_script(arguments, guard, [] {}, problem).out};
    std::vector<std::string> packages;
    for (std::string package; in >> package;) {
        packages.push_back(package);
    }
    return packages.empty()
               ? problem
               : fmt::format("building needs programs that are missing; get them with: apt-get install {}",
                             fmt::join(packages, " "));
}

install_outcome install_allocator(const std::string& name, const interrupt_guard& guard,
                                  const std::function<void()>& tick) {
    const fs::path work = cache_folder() / fmt::format(".building-{}", ::getpid());
    install_outcome outcome;
    const child_result child = run_script({"install", work.string(), name}, guard, tick, outcome.problem);
    outcome.is_interrupted = child.how == child_result::ending::interrupted;
    outcome.version = child.out.substr(0, child.out.find('\n'));
    std::error_code error;
    fs::remove_all(work, error); // also where the script was killed
    return outcome;
}

} // namespace linn::tool
