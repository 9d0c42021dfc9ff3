// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

bool can_be_preloaded(const std::string& path) {
    return path.find_first_of(" :;$\t\n") == std::string::npos;
}

fs::path preloadable_parent() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    return error || !folder.is_absolute() || !can_be_preloaded(folder.string()) ? fs::path{"/tmp"} : folder;
}

} // namespace

run_folder::run_folder() : folder_{preloadable_parent(), "linn-run-"} {
    ::chmod(folder_.path().c_str(), 0711); // to be passed through, not to be listed
    const int fd = ::open(records().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::fchmod(fd, 0622);
        ::close(fd);
    }
}

std::string run_folder::preloadable(const fs::path& library) {
    if (can_be_preloaded(library.string())) {
        return library.string();
    }
    for (int i = 0;; ++i) {
        const fs::path link = folder_.path() / (std::to_string(i) + ".so");
        std::error_code error;
        fs::create_symlink(library, link, error);
        if (error != std::errc::file_exists) {
            return link.string();
        }
    }
}

} // namespace linn::tool
