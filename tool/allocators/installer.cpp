// SPDX-License-Identifier: Apache-2.0
#include "installer.hpp"

#include "../measure/files.hpp"
#include "../measure/ticks.hpp"
#include "catalogue.hpp"
#include "finder.hpp"
#include "inventory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <sstream>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_step{3600};
constexpr std::string_view work_prefix = ".building-";

std::string last_lines(const fs::path& file, std::size_t count) {
    std::ifstream in{file};
    std::deque<std::string> lines;
    std::string line;
    while (std::getline(in, line)) {
        lines.push_back(line.substr(0, 300)); // a compiler's command line says nothing to a reader
        if (lines.size() > count) {
            lines.pop_front();
        }
    }
    return fmt::format("{}", fmt::join(lines, "\n  "));
}

/// Removes what installations that were killed left behind.
void remove_remains(const fs::path& cache) {
    std::error_code error;
    std::vector<fs::path> remains;
    for (const fs::directory_entry& entry : fs::directory_iterator{cache, error}) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(work_prefix)) {
            continue;
        }
        const pid_t owner = std::atoi(name.c_str() + work_prefix.size());
        if (owner <= 0 || (::kill(owner, 0) != 0 && errno == ESRCH)) {
            remains.push_back(entry.path());
        }
    }
    for (const fs::path& path : remains) {
        fs::remove_all(path, error);
    }
}

std::string version_in(const fs::path& folder) {
    std::ifstream in{folder / "version"};
    std::string version;
    std::getline(in, version);
    // It becomes the name of a folder.
    const bool is_plain =
        !version.starts_with('.') && std::all_of(version.begin(), version.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '+' || c == '_';
        });
    return is_plain ? version : std::string{};
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

installer::installer(const interrupt_guard& guard, std::function<void(const std::string&)> tick)
    : guard_{guard},
      tick_{std::move(tick)},
      cache_{cache_folder()} {}

installer::~installer() {
    std::error_code error;
    if (!work_.empty()) {
        fs::remove_all(work_, error);
    }
}

child_result installer::script(std::vector<std::string> arguments, const std::string& doing) const {
    arguments.insert(arguments.begin(), {"/bin/bash", companion("allocator-install/build.sh").string()});
    return run_child(arguments, child_environment({}), longest_step, guard_, [&] { tick_(doing); });
}

std::string installer::prepare(const std::vector<std::string>& names) {
    if (cache_.empty()) {
        return "there is no folder to install to: set HOME or XDG_CACHE_HOME";
    }
    const fs::path build_script = companion("allocator-install/build.sh");
    std::error_code error;
    if (!fs::exists(build_script, error)) {
        return fmt::format("{} is missing: install linn again", build_script.string());
    }

    std::vector<std::string> arguments{"needs"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    const child_result needs = script(arguments, "looking for compilers");
    if (needs.how == child_result::ending::interrupted) {
        return {};
    }
    if (needs.how != child_result::ending::exited || needs.code != 0) {
        return fmt::format("{}: {}", build_script.string(), describe_ending(needs, longest_step));
    }
    std::istringstream in{needs.out};
    std::vector<std::string> packages;
    for (std::string package; in >> package;) {
        packages.push_back(package);
    }
    if (!packages.empty()) {
        return fmt::format("building needs programs that are missing; get them with: apt-get install {}",
                           fmt::join(packages, " "));
    }

    remove_remains(cache_);
    const fs::path work = cache_ / fmt::format("{}{}", work_prefix, ::getpid());
    if (fs::create_directories(work / "sources", error); !error) {
        fs::create_directories(cache_ / "logs", error);
    }
    work_ = work;
    return error ? fmt::format("cannot write to {}: {}", cache_.string(), error.message()) : std::string{};
}

std::string installer::failure(const child_result& child, std::string_view what, const fs::path& log) const {
    return fmt::format("{} failed: {}; the end of {}:\n  {}", what, describe_ending(child, longest_step),
                       log.string(), last_lines(log, 12));
}

std::string installer::build(install_outcome& outcome) {
    const std::string& name = outcome.name;
    const fs::path log = cache_ / "logs" / (name + ".log");
    const fs::path sources = work_ / "sources";
    const fs::path scratch = work_ / "scratch" / name;
    const fs::path built = work_ / "built" / name;
    std::error_code error;
    fs::remove_all(scratch, error);
    fs::remove_all(built, error);
    if (fs::create_directories(scratch, error); !error) {
        fs::create_directories(built, error);
    }
    if (error) {
        return fmt::format("cannot write to {}: {}", work_.string(), error.message());
    }

    const auto succeeded = [&](const child_result& child) {
        outcome.interrupted = child.how == child_result::ending::interrupted;
        return child.how == child_result::ending::exited && child.code == 0;
    };
    child_result child =
        script({"fetch", log.string(), (cache_ / "downloads").string(), sources.string(), name},
               fmt::format("downloading {}", name));
    if (!succeeded(child)) {
        return failure(child, "downloading the sources", log);
    }
    child = script({"build", log.string(), sources.string(), name, scratch.string(), built.string()},
                   fmt::format("building {}", name));
    if (!succeeded(child)) {
        return failure(child, "building", log);
    }
    fs::remove_all(scratch, error);

    outcome.version = version_in(built);
    if (outcome.version.empty()) {
        return fmt::format("the build did not say which version it made; see {}", log.string());
    }
    const fs::path library = built / fmt::format("lib{}.so", name);
    const std::vector<allocator_entry> tried = take_inventory(
        {{name, library}}, {name}, guard_, [&](const std::string&) { tick_("trying " + name); });
    outcome.interrupted = interrupt_guard::pending() != 0;
    if (tried.empty()) {
        return "it was not tried";
    }
    if (tried.front().state != library_state::usable) {
        return fmt::format("it was built, but is {}: {}", to_string(tried.front().state),
                           tried.front().remark);
    }
    return keep(outcome, built);
}

std::string installer::keep(install_outcome& outcome, const fs::path& built) {
    const fs::path place = cache_ / outcome.name / outcome.version;
    const fs::path old = work_ / "old" / outcome.name;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    fs::create_directories(old.parent_path(), error);
    // A folder that holds something cannot be replaced by rename.
    const bool replaces = fs::exists(place, error);
    if (replaces) {
        fs::rename(place, old, error);
    }
    std::error_code failed;
    fs::rename(built, place, failed);
    if (failed && replaces) {
        fs::rename(old, place, error);
    }
    if (failed) {
        return fmt::format("cannot write {}: {}", place.string(), failed.message());
    }
    outcome.library = place / fmt::format("lib{}.so", outcome.name);
    return {};
}

install_outcome installer::install(const std::string& name) {
    install_outcome outcome;
    outcome.name = name;
    const std::uint64_t start = now_ns();
    outcome.problem = build(outcome);
    outcome.seconds = static_cast<double>(now_ns() - start) * 1e-9;
    return outcome;
}

} // namespace linn::tool
