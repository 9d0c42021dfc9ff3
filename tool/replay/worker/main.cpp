// SPDX-License-Identifier: Apache-2.0
// The program that replays: started afresh for every allocator and round, possibly under a preloaded allocator. It proves
// what it runs on, executes one program once and prints one line of JSON.
#include "../../allocators/probe/worker_main.hpp"
#include "modes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace linn::tool::worker {

void give_up(const char* why) noexcept {
    // Without the heap, which may be what failed, and with all other threads where they are.
    const auto print = [](std::string_view text) {
        [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    };
    print("linn-replay-worker: ");
    print(why);
    print("\n");
    ::_exit(3);
}

namespace {

/// A figure in kB of /proc/self/status, in bytes; read without the heap.
std::uint64_t status_bytes(const char* name) noexcept {
    const int fd = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    char text[8192];
    const ssize_t got = fd < 0 ? -1 : ::read(fd, text, sizeof text - 1);
    if (fd >= 0) {
        ::close(fd);
    }
    if (got <= 0) {
        return 0;
    }
    text[got] = '\0';
    const char* const found = std::strstr(text, name);
    return found == nullptr ? 0 : std::strtoull(found + std::strlen(name), nullptr, 10) * 1024;
}

/// Resets the peak where the kernel allows it.
void reset_peak() noexcept {
    const int fd = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    [[maybe_unused]] const ssize_t done = ::write(fd, "5", 1);
    ::close(fd);
}

bool take_argument(replay_order& order, std::string_view key, const char* value) {
    if (key == "--program") {
        order.program = value;
    } else if (key == "--source") {
        order.source = value;
    } else if (key == "--touch") {
        order.how = value;
    } else {
        return false;
    }
    return true;
}

int run(int argc, char** argv) {
    replay_order order;
    std::string preload;
    const bool is_understood =
        read_arguments(argc, argv, preload, [&](std::string_view key, const char* value) {
            return take_argument(order, key, value);
        });
    if (!is_understood || order.program.empty()) {
        return started_by_hand("replay");
    }
    program_view program;
    if (const char* const problem = program.open(order.program.c_str()); problem != nullptr) {
        std::fprintf(stderr, "%s: %s: %s\n", argv[0], problem, std::strerror(errno));
        return 2;
    }
    reset_peak();
    const std::uint64_t before = status_bytes("VmRSS:");
    const replay_report report = replay(program, order);
    const std::uint64_t peak = status_bytes("VmHWM:");

    nlohmann::json reply = answer_with_proof(preload);
    reply["error"] = report.failure == nullptr ? "" : report.failure;
    reply["cpu_ns"] = report.cpu_ns;
    reply["wait_ns"] = report.wait_ns;
    reply["wall_ns"] = report.wall_ns;
    reply["waits"] = report.waits;
    reply["peak_rss_bytes"] = peak - std::min(before, peak);
    reply["checksum"] = report.checksum;
    reply["wrong_blocks"] = report.wrong_blocks;
    print_answer(reply);
    return 0;
}

} // namespace
} // namespace linn::tool::worker

int main(int argc, char** argv) {
    return linn::tool::worker::worker_main(linn::tool::worker::run, argc, argv);
}
