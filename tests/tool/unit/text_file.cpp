// SPDX-License-Identifier: Apache-2.0
// A report appears whole or not at all, and one that cannot be written leaves what was there: a script that reads the
// file of the last run must never find half of this one.
#include "measure/files.hpp"
#include "scratch_folder.hpp"
#include "unit.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace linn::tool::text_file_tests {

using linn::tool::testing::scratch_folder;
namespace fs = std::filesystem;

std::size_t entries(const scratch_folder& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder.path()}, {}));
}

std::string content(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// No file of this process may grow beyond `bytes` while it lives: writing more fails as a full disk does, with EFBIG.
class small_disk {
public:
    explicit small_disk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;
    ~small_disk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

TEST_CASE("a file is written whole, and nothing else appears next to it") {
    const scratch_folder folder;
    CHECK(write_atomically((folder / "a").string(), "one\n") == "");
    CHECK(content((folder / "a").string()) == "one\n");
    CHECK(write_atomically((folder / "a").string(), "") == "");
    CHECK(content((folder / "a").string()) == "");
    CHECK(entries(folder) == 1);
}

TEST_CASE("a disk that is full leaves the older file as it was, and no temporary one") {
    const scratch_folder folder;
    const std::string path = (folder / "result.json").string();
    REQUIRE(write_atomically(path, "older") == "");
    std::string problem;
    std::string problem_of_new;
    {
        const small_disk full{1000};
        problem = write_atomically(path, std::string(100'000, 'x'));
        problem_of_new = write_atomically((folder / "new.json").string(), std::string(100'000, 'x'));
    }
    CHECK(problem == "cannot write " + path + ": File too large");
    CHECK(problem_of_new != "");
    CHECK(content(path) == "older");
    CHECK(entries(folder) == 1);
}

TEST_CASE("a device that is full is an error too") {
    if (!fs::exists("/dev/full")) {
        return;
    }
    CHECK(write_atomically("/dev/full", "text") == "cannot write /dev/full: No space left on device");
    CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("a link keeps pointing where it points, and the file there is replaced") {
    const scratch_folder folder;
    fs::create_directory(folder.path() / "elsewhere");
    REQUIRE(write_atomically((folder / "elsewhere/real").string(), "older") == "");
    fs::create_symlink("elsewhere/real", folder.path() / "link");
    CHECK(write_atomically((folder / "link").string(), "newer") == "");
    CHECK(fs::is_symlink(folder.path() / "link"));
    CHECK(content((folder / "elsewhere/real").string()) == "newer");
}

TEST_CASE("a link to a file that is not there yet makes that file") {
    const scratch_folder folder;
    fs::create_symlink("real", folder.path() / "link");
    CHECK(write_atomically((folder / "link").string(), "text") == "");
    CHECK(fs::is_symlink(folder.path() / "link"));
    CHECK(content((folder / "real").string()) == "text");
}

TEST_CASE("a pipe is written to, not replaced") {
    const scratch_folder folder;
    const std::string path = (folder / "pipe").string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::string received;
    std::thread reader{[&] { received = content(path); }};
    CHECK(write_atomically(path, "through") == "");
    reader.join();
    CHECK(received == "through");
    CHECK(fs::is_fifo(path));
}

TEST_CASE("the file that is replaced keeps its permissions; a new one has those of the umask") {
    const scratch_folder folder;
    const std::string path = (folder / "a").string();
    const mode_t before = ::umask(027);
    REQUIRE(write_atomically(path, "one") == "");
    struct stat info{};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0640);
    REQUIRE(::chmod(path.c_str(), 0604) == 0);
    REQUIRE(write_atomically(path, "two") == "");
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0604);
    ::umask(before);
}

TEST_CASE("a folder that is missing is named, and so is one in place of the file") {
    const scratch_folder folder;
    const std::string path = (folder / "missing/a").string();
    CHECK(write_atomically(path, "text") == "cannot write " + path + ": No such file or directory");
    CHECK(write_atomically(folder.path().string(), "text") ==
          "cannot write " + folder.path().string() + ": Is a directory");
    if (::geteuid() != 0) { // nothing is unwritable for root
        fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
        CHECK(write_atomically((folder / "a").string(), "text") ==
              "cannot write " + (folder / "a").string() + ": Permission denied");
    }
}

} // namespace linn::tool::text_file_tests
