// SPDX-License-Identifier: Apache-2.0
#include "debian.hpp"

#include "../measure/process.hpp"

#include <algorithm>
#include <sstream>

namespace linn::tool {
namespace {

constexpr const char* program = "/usr/bin/dpkg-query";

/// The program's standard output; its exit status is of no use, because one file without a package makes it fail.
std::istringstream ask(std::vector<std::string> arguments, const interrupt_guard& guard) {
    arguments.insert(arguments.begin(), program);
    return std::istringstream{
        run_child(arguments, child_environment({}, {"LC_ALL=C"}), std::chrono::seconds{30}, guard, [] {
        }).out};
}

} // namespace

std::map<std::filesystem::path, debian_package> packages_of(const std::vector<std::filesystem::path>& files,
                                                            const interrupt_guard& guard) {
    std::map<std::filesystem::path, debian_package> result;
    std::error_code error;
    if (files.empty() || !std::filesystem::exists(program, error)) {
        return result;
    }

    // Packages from before /lib became a link into /usr name their files there.
    std::map<std::string, std::filesystem::path> asked;
    std::vector<std::string> arguments{"-S"};
    for (const std::filesystem::path& file : files) {
        const std::string path = file.string();
        asked[path] = file;
        arguments.push_back(path);
        if (path.starts_with("/usr/lib")) {
            asked[path.substr(4)] = file;
            arguments.push_back(path.substr(4));
        }
    }
    std::string line;
    std::istringstream owners = ask(arguments, guard);
    while (std::getline(owners, line)) { // NAME[:ARCHITECTURE][, NAME...]: PATH
        const std::size_t end = line.find(": ");
        const auto found = end == std::string::npos ? asked.end() : asked.find(line.substr(end + 2));
        if (found != asked.end()) {
            result[found->second].name = line.substr(0, std::min(line.find(','), end));
        }
    }

    arguments = {"-W", "-f", "${binary:Package} ${Version}\n"};
    for (const auto& [file, package] : result) {
        arguments.push_back(package.name);
    }
    std::map<std::string, std::string> versions;
    if (!result.empty()) {
        std::istringstream in = ask(arguments, guard);
        std::string name;
        std::string version;
        while (in >> name >> version) {
            versions[name] = version;
        }
    }
    for (auto& [file, package] : result) {
        const std::string bare = package.name.substr(0, package.name.find(':'));
        const auto found =
            versions.count(package.name) != 0 ? versions.find(package.name) : versions.find(bare);
        if (found != versions.end()) {
            package.version = found->second;
        }
        package.name = bare;
    }
    return result;
}

std::string upstream_version(const std::string& version) {
    const std::size_t epoch = version.find(':');
    std::string text = epoch == std::string::npos ? version : version.substr(epoch + 1);
    text.erase(std::min(text.rfind('-'), text.size()));
    text.erase(std::min(text.find_first_of("+~"), text.size()));
    return text;
}

} // namespace linn::tool
