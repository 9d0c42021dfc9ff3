// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

const std::string& file_of(const provider_proof& proof, const char* function) {
    static const std::string unknown = "unknown";
    const auto found = proof.files.find(function);
    return found == proof.files.end() ? unknown : found->second;
}

} // namespace

bool is_c_library(const std::string& file) {
    const std::string name = fs::path{file}.filename().string();
    return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-musl");
}

bool is_cxx_runtime(const std::string& file) {
    const std::string name = fs::path{file}.filename().string();
    return name.starts_with("libstdc++.so") || name.starts_with("libc++.so") ||
           name.starts_with("libc++abi.so");
}

std::string refute(const provider_proof& proof, const fs::path& library) {
    if (library.empty()) {
        for (const char* function : {"malloc", "free"}) {
            if (const std::string& file = file_of(proof, function); !is_c_library(file)) {
                return fmt::format("{} is provided by {}, not by the C library", function, file);
            }
        }
        for (const char* function : {"operator new", "operator delete", "sized operator delete"}) {
            if (const std::string& file = file_of(proof, function); !is_cxx_runtime(file)) {
                return fmt::format("{} is provided by {}, not by the C++ runtime", function, file);
            }
        }
        return {};
    }

    for (const char* function : {"malloc", "free"}) {
        if (const std::string& file = file_of(proof, function); file != library.string()) {
            return fmt::format("preload did not take effect: {} is provided by {}", function, file);
        }
    }
    if (!proof.preload_mapped) {
        return fmt::format("preload did not take effect: {} is not mapped", library.string());
    }
    // A library may leave operator new and delete to the C++ runtime, which calls malloc and free; but new and
    // delete have to agree.
    const std::string& new_file = file_of(proof, "operator new");
    const std::string& delete_file = file_of(proof, "operator delete");
    if (new_file != delete_file || (new_file != library.string() && !is_cxx_runtime(new_file))) {
        return fmt::format(
            "preload did not take effect: operator new is provided by {}, operator delete by {}", new_file,
            delete_file);
    }
    if (const std::string& sized = file_of(proof, "sized operator delete");
        sized != library.string() && !is_cxx_runtime(sized)) {
        return fmt::format("preload did not take effect: sized operator delete is provided by {}", sized);
    }
    return {};
}

} // namespace linn::tool
