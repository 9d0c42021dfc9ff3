// SPDX-License-Identifier: Apache-2.0
// Where a report appears. That it appears whole or not at all, and one that cannot be written leaves what was there: case_report_files
// of bench_cases.py.
#include "measure/files.hpp"
#include "measure/process.hpp"
#include "scratch_folder.hpp"
#include "unit.hpp"

#include <sys/stat.h>

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

TEST_CASE("a file is written whole, and nothing else appears next to it") {
    const scratch_folder folder;
    CHECK(write_atomically((folder / "a").string(), "one\n") == "");
    CHECK(content((folder / "a").string()) == "one\n");
    CHECK(write_atomically((folder / "a").string(), "") == "");
    CHECK(content((folder / "a").string()) == "");
    CHECK(entries(folder) == 1);
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

TEST_CASE("what cannot be written is known before") {
    const scratch_folder folder;
    const auto why_not = [&](const char* name) { return why_not_writable((folder / name).string()); };
    CHECK(why_not("a") == "");
    CHECK(why_not_writable("a") == "");
    CHECK(why_not_writable("/dev/null") == "");
    CHECK(why_not(".").ends_with("it is a folder; name a file in it"));
    CHECK(why_not("none/a").ends_with(
        "none: No such file or directory; make that folder or name another file"));
    CHECK(why_not_writable("/proc/self/exe/a").ends_with("exe: Not a directory; name another file"));
    fs::create_symlink("none/a", folder.path() / "link");
    CHECK(why_not("link").ends_with("make that folder or name another file"));
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
    pipe_ends nameless = make_pipe(); // as behind /dev/stdout
    const auto place = [](const owned_fd& end) { return "/proc/self/fd/" + std::to_string(end.get()); };
    CHECK(why_not_writable(place(nameless.write)) == "");
    CHECK(write_atomically(place(nameless.write), "through") == "");
    nameless.write = {};
    CHECK(content(place(nameless.read)) == "through");
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

} // namespace linn::tool::text_file_tests
