// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path) {
    throw fs::filesystem_error{what, path, {errno, std::generic_category()}};
}

} // namespace

std::optional<std::string> read_file(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        return std::nullopt;
    }
    try {
        return std::string{std::istreambuf_iterator<char>{file}, {}};
    } catch (const std::ios_base::failure&) { // a folder, or a file in /proc of a process that ends
        return std::nullopt;
    }
}

std::string text_of_file(const fs::path& path) {
    std::optional<std::string> text = read_file(path);
    if (!text) {
        throw unusable_input{fmt::format("cannot use {}: {}", path.string(),
                                         errno == EISDIR ? "it is a directory" : std::strerror(errno))};
    }
    return *std::move(text);
}

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream file{path, std::ios::binary};
    file << text;
    if (!file.flush()) {
        fail("cannot write", path);
    }
}

temporary_folder::temporary_folder(const fs::path& parent, const std::string& prefix) {
    std::string name = ((parent.empty() ? "/tmp" : parent) / (prefix + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        fail("no temporary folder (TMPDIR chooses where)", name);
    }
    path_ = name;
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

namespace {

/// Writes into a file that is there; returns 0 or an errno.
int write_into(const std::string& path, const stream_writer& write) {
    errno = 0;
    std::ofstream out{path, std::ios::binary};
    if (out) {
        write(out);
        out.close(); // which flushes
    }
    return out ? 0 : errno != 0 ? errno : EIO;
}

/// Where a chain of links ends, also one whose last file is not there yet: a link keeps pointing where it points.
std::string behind_links(const std::string& path) {
    constexpr int most = 40; // as the kernel; a loop is an error of the file that is opened then
    fs::path place = path;
    std::error_code error;
    for (int i = 0; i != most && fs::is_symlink(place, error); ++i) {
        const fs::path next = fs::read_symlink(place, error);
        if (error) {
            break;
        }
        place = place.parent_path() / next; // an absolute path replaces the folder
    }
    return place.string();
}

} // namespace

std::string write_atomically(const std::string& path, const std::string& text) {
    return write_atomically(path, [&](std::ostream& out) { out << text; });
}

std::string write_atomically(const std::string& path, const stream_writer& write) {
    const auto problem = [&](int error) {
        return fmt::format("cannot write {}: {}", path, std::strerror(error));
    };
    std::error_code unknown;
    // A device or a pipe is written to, not replaced. Where /dev/stdout leads, no link says.
    if (const fs::file_status status = fs::status(path, unknown);
        fs::exists(status) && !fs::is_regular_file(status)) {
        const int error = write_into(path, write);
        return error == 0 ? std::string{} : problem(error);
    }

    const std::string place = behind_links(path);
    const std::string temporary = fmt::format("{}.{}.tmp", place, ::getpid());
    struct stat old{};
    const bool replaces = ::stat(place.c_str(), &old) == 0;
    const int file =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
    if (file < 0) {
        return problem(errno);
    }
    int error = write_into(temporary, write);
    if (replaces) { // where that is not allowed, the new file keeps its own permissions
        static_cast<void>(::fchmod(file, old.st_mode & 07777));
    }
    if (error == 0 && (::fsync(file) != 0 || std::rename(temporary.c_str(), place.c_str()) != 0)) {
        error = errno;
    }
    ::close(file);
    if (error == 0) {
        return {};
    }
    std::remove(temporary.c_str());
    return problem(error);
}

std::string why_not_writable(const std::string& path) {
    std::error_code error;
    const fs::file_status now = fs::status(path, error);
    if (fs::is_directory(now)) {
        return fmt::format("cannot write {}: it is a folder; name a file in it", path);
    }
    const bool is_special = fs::exists(now) && !fs::is_regular_file(now); // written to in place
    const fs::path folder = fs::path{behind_links(path)}.parent_path();
    const fs::path written = is_special ? fs::path{path} : folder.empty() ? fs::path{"."} : folder;
    // A program is executable, too, and no folder.
    if (::access((is_special ? written : written / ".").c_str(), is_special ? W_OK : W_OK | X_OK) == 0) {
        return {};
    }
    return fmt::format("cannot write {}: {}: {}; {}name another file", path, written.string(),
                       std::strerror(errno), errno == ENOENT ? "make that folder or " : "");
}

void open_standard_streams() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) { // the lowest number that is free: this one
            const int access = fd == STDERR_FILENO ? O_WRONLY : O_RDONLY;
            static_cast<void>(::open("/dev/null", access | O_CLOEXEC));
        }
    }
}

void write_to_stderr(const std::string& text) {
    static_cast<void>(std::fputs(text.c_str(), stderr));
}

std::filesystem::path companion(std::string_view name) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const std::filesystem::path& directory : {self, self.parent_path() / "libexec" / "linn"}) {
        if (std::filesystem::exists(directory / name, error)) {
            return directory / name;
        }
    }
    return self / name;
}

std::filesystem::path preload_companion(std::string_view name, std::string& problem) {
    const std::filesystem::path library = companion(name);
    std::error_code error;
    if (!std::filesystem::exists(library, error)) {
        problem =
            fmt::format("{}, which is a part of linn, is missing: install linn again", library.string());
    } else if (library.string().find_first_of(" :\t") != std::string::npos) {
        problem = fmt::format("{} cannot be preloaded: LD_PRELOAD cannot carry a path with spaces or colons; "
                              "install linn elsewhere",
                              library.string());
    }
    return library;
}

} // namespace linn::tool
