// SPDX-License-Identifier: Apache-2.0
#include "debug_file.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace linn::tool {

namespace {

namespace fs = std::filesystem;

std::string build_id_path(const std::string& folder, const std::string& build_id) {
    return folder + "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
}

/// The folder of a module, links followed: debug files lie where the file does.
std::string folder_of(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return (error ? fs::absolute(path, error) : real).parent_path().string();
}

} // namespace

std::string ask_debuginfod(const std::string& build_id, std::string& problem) {
    if (std::getenv("DEBUGINFOD_URLS") == nullptr) {
        problem = "debuginfod was asked for, but DEBUGINFOD_URLS names no server";
        return {};
    }
    void* library = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        problem = "debuginfod was asked for, but libdebuginfod.so.1 is missing: apt install libdebuginfod1";
        return {};
    }
    using begin_type = void* (*)();
    using find_type = int (*)(void*, const unsigned char*, int, char**);
    using end_type = void (*)(void*);
    const auto begin = reinterpret_cast<begin_type>(::dlsym(library, "debuginfod_begin"));
    const auto find = reinterpret_cast<find_type>(::dlsym(library, "debuginfod_find_debuginfo"));
    const auto end = reinterpret_cast<end_type>(::dlsym(library, "debuginfod_end"));
    std::string found;
    if (begin != nullptr && find != nullptr && end != nullptr) {
        void* client = begin();
        char* path = nullptr;
        // A length of 0 says that the build id is text.
        const int descriptor =
            client == nullptr
                ? -1
                : find(client, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, &path);
        if (descriptor >= 0) {
            ::close(descriptor);
            found = path;
        } else {
            problem = "no debuginfod server has the build id " + build_id;
        }
        std::free(path);
        if (client != nullptr)
            end(client);
    }
    // Not closed: its own libraries (curl) leave threads and exit handlers behind.
    return found;
}

debug_file find_debug_file(const elf_file& module, const symbol_options& options) {
    const std::string build_id = module.build_id();
    debug_file result;
    if (build_id.size() > 2) {
        for (const std::string& folder : options.debug_folders) {
            auto file = elf_file::open(build_id_path(folder, build_id));
            if (file != nullptr && file->build_id() == build_id && file->has_debug_info())
                return {std::move(file), {}};
        }
    }
    const auto [name, sum] = module.debug_link();
    if (!name.empty()) {
        const std::string folder = folder_of(module.path());
        std::vector<std::string> candidates{folder + "/" + name, folder + "/.debug/" + name};
        for (const std::string& debug_folder : options.debug_folders) {
            candidates.push_back(debug_folder + folder + "/" + name);
            candidates.push_back(debug_folder + "/" + name);
        }
        for (const std::string& candidate : candidates) {
            auto file = elf_file::open(candidate);
            if (file == nullptr)
                continue;
            const std::string its_id = file->build_id();
            const bool fits = !its_id.empty() && !build_id.empty() ? its_id == build_id
                                                                   : elf_file::checksum(candidate) == sum;
            if (fits)
                return {std::move(file), {}};
            result.problem = "the debug file " + candidate +
                             " belongs to another build; strip the program and make its debug file again";
        }
        if (result.problem.empty())
            result.problem =
                "the debug file " + name +
                " that the module names is missing; put it beside the module, or name its folder "
                "with --debug-dir";
    }
    if (options.use_debuginfod && build_id.size() > 2) {
        std::string problem;
        const std::string path = ask_debuginfod(build_id, problem);
        if (auto file = path.empty() ? nullptr : elf_file::open(path); file != nullptr)
            return {std::move(file), {}};
        result.problem = problem;
    }
    return result;
}

std::string find_supplementary_file(const std::string& beside, const std::string& name,
                                    const std::string& build_id, const symbol_options& options) {
    std::vector<std::string> candidates{name.starts_with('/') ? name : folder_of(beside) + "/" + name};
    for (const std::string& folder : options.debug_folders) {
        if (build_id.size() > 2)
            candidates.push_back(build_id_path(folder, build_id));
        candidates.push_back(folder + "/.dwz/" + fs::path(name).filename().string());
    }
    for (const std::string& candidate : candidates) {
        const auto file = elf_file::open(candidate);
        if (file != nullptr && (build_id.empty() || file->build_id() == build_id))
            return candidate;
    }
    return {};
}

} // namespace linn::tool
