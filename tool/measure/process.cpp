// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "files.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace linn::tool {

namespace {

constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> received{0}; // read by several threads, so no sig_atomic_t
const sigset_t* mask_outside = nullptr;
static_assert(decltype(received)::is_always_lock_free, "a signal handler writes it");

extern "C" void note_signal(int signal) {
    received = signal;
}

} // namespace

interrupt_guard::interrupt_guard() {
    received = 0;
    sigset_t block;
    sigemptyset(&block);
    for (const int signal : watched) {
        sigaddset(&block, signal);
    }
    ::sigprocmask(SIG_BLOCK, &block, &old_mask_);
    for (const int signal : watched) {
        sigdelset(&old_mask_, signal);
    }

    struct sigaction action{};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i != 3; ++i) {
        ::sigaction(watched[i], nullptr, &old_actions_[i]);
        // Started with nohup or in the background of a script: what was ignored stays ignored, except SIGINT,
        // which an interactive Ctrl-C or a test sends on purpose.
        if (old_actions_[i].sa_handler != SIG_IGN || watched[i] == SIGINT) {
            ::sigaction(watched[i], &action, nullptr);
        }
    }
    mask_outside = &old_mask_;
}

interrupt_guard::~interrupt_guard() {
    mask_outside = nullptr;
    for (std::size_t i = 0; i != 3; ++i) {
        ::sigaction(watched[i], &old_actions_[i], nullptr);
    }
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

int interrupt_guard::pending() noexcept {
    return received;
}

int interrupt_guard::poll() const noexcept {
    const timespec at_once{};
    static_cast<void>(::ppoll(nullptr, 0, &at_once, &old_mask_));
    return received;
}

const sigset_t* interrupt_guard::outer_mask() noexcept {
    return mask_outside;
}

namespace {

using clock = std::chrono::steady_clock;

/// Reads what is there; closes the end when the writer is gone.
void drain(owned_fd& fd, std::string& into, std::size_t limit) {
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got > 0 && into.size() < limit) {
        into.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        fd = {};
    }
}

} // namespace

pipe_ends make_pipe() noexcept {
    int ends[2] = {-1, -1};
    static_cast<void>(::pipe2(ends, O_CLOEXEC)); // leaves them as they are where it fails
    return {owned_fd{ends[0]}, owned_fd{ends[1]}};
}

pid_t spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment,
            std::initializer_list<int> descriptors, int flags, const sigset_t& mask) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (int number = 0; const int descriptor : descriptors) {
        descriptor >= 0 ? ::posix_spawn_file_actions_adddup2(&actions, descriptor, number)
                        : ::posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDONLY, 0);
        ++number;
    }
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        sigaddset(&defaults, signal);
    }
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes,
                               static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &mask);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, command.front().c_str(), &actions, &attributes,
                                    pointers(command).data(), pointers(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : -error;
}

child_result run_child(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       std::chrono::seconds timeout, const interrupt_guard& guard,
                       const std::function<void()>& tick) {
    child_result result;
    pipe_ends out = make_pipe();
    pipe_ends err = make_pipe();
    const pid_t child = out.write && err.write
                            ? spawn(arguments, environment, {-1, out.write.get(), err.write.get()},
                                    POSIX_SPAWN_SETPGROUP, guard.wait_mask())
                            : -errno;
    if (child < 0) {
        result.code = -child;
        return result;
    }
    out.write = {};
    err.write = {};

    const auto deadline = clock::now() + timeout;
    int status = 0;
    bool reaped = false;
    bool killed = false;
    while (!reaped) {
        if (!killed && interrupt_guard::pending() != 0) {
            result.how = child_result::ending::interrupted;
        } else if (!killed && clock::now() >= deadline) {
            result.how = child_result::ending::timed_out;
        }
        if (!killed && result.how != child_result::ending::not_started) {
            ::kill(-child, SIGKILL); // the whole group; it is ours alone
            killed = true;
        }
        // Poll ignores negative descriptors, so a closed end simply stops reporting.
        pollfd ends[2] = {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
        const bool open = out.read || err.read;
        const std::timespec wait{0, open ? 200'000'000 : 1'000'000};
        const int ready = ::ppoll(ends, 2, &wait, &guard.wait_mask());
        if (ready > 0) {
            if (ends[0].revents != 0) {
                drain(out.read, result.out, 1 << 20);
            }
            if (ends[1].revents != 0) {
                drain(err.read, result.err, 4096);
            }
        } else {
            tick();
        }
        if (!open || killed) {
            reaped = ::waitpid(child, &status, WNOHANG) == child;
        }
    }
    if (killed) {
        return result;
    }
    const bool by_signal = WIFSIGNALED(status);
    result.how = by_signal ? child_result::ending::signalled : child_result::ending::exited;
    result.code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

std::string signal_name(int signal) {
    const char* const name = ::sigabbrev_np(signal);
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> list;
    for (const std::string& s : strings) {
        list.push_back(const_cast<char*>(s.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> strings_of(std::string_view list) {
    std::vector<std::string> strings;
    while (!list.empty()) {
        strings.emplace_back(list.substr(0, list.find('\0')));
        list.remove_prefix(std::min(strings.back().size() + 1, list.size()));
    }
    return strings;
}

std::vector<std::string> stat_of(pid_t pid, pid_t tid) {
    const std::string text = read_file(tid == 0 ? fmt::format("/proc/{}/stat", pid)
                                                : fmt::format("/proc/{}/task/{}/stat", pid, tid))
                                 .value_or("");
    // They stand behind the name, which may hold anything, parentheses included.
    std::istringstream in{text.substr(std::min(text.rfind(')'), text.size() - 1) + 1)};
    return {std::istream_iterator<std::string>{in}, {}};
}

bool has_program(pid_t pid) {
    std::error_code error;
    return !std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error).empty();
}

std::string mapping::file_name() const {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.find(" (deleted)"));
}

std::vector<mapping> read_mappings(pid_t pid) {
    std::vector<mapping> found;
    std::ifstream in{fmt::format("/proc/{}/maps", pid)};
    for (std::string line; std::getline(in, line);) {
        mapping m;
        std::istringstream words{line};
        char dash = 0;
        std::string rights;
        std::string skipped;
        words >> std::hex >> m.begin >> dash >> m.end >> rights >> m.offset >> skipped >> skipped;
        std::getline(words >> std::ws, m.path);
        m.is_code = rights.find('x') != std::string::npos;
        found.push_back(std::move(m));
    }
    return found;
}

std::string describe_ending(const child_result& result, std::chrono::seconds timeout) {
    const std::string_view said = std::string_view{result.err}.substr(0, result.err.find('\n'));
    const std::string suffix = said.empty() ? "" : fmt::format(" ({})", said);
    switch (result.how) {
    case child_result::ending::signalled:
        return fmt::format("killed by {}{}", signal_name(result.code), suffix);
    case child_result::ending::timed_out:
        return fmt::format("timed out after {} s{}", timeout.count(), suffix);
    case child_result::ending::interrupted:
        return "interrupted";
    case child_result::ending::not_started:
        return fmt::format("could not start: {}", std::strerror(result.code));
    case child_result::ending::exited:
        break;
    }
    return fmt::format("exit status {}{}", result.code, suffix);
}

std::string preloaded_first(const std::string& library) {
    const char* const found = std::getenv("LD_PRELOAD");
    const std::string before = found == nullptr ? "" : found;
    return library.empty() || before.empty() ? library + before : library + ":" + before;
}

std::vector<std::string> child_environment(const std::string& library, const std::vector<std::string>& more) {
    const auto is_replaced = [&](std::string_view entry) {
        return entry.starts_with("LD_PRELOAD=") ||
               std::any_of(more.begin(), more.end(), [entry](const std::string& m) {
                   return entry.starts_with(std::string_view{m}.substr(0, m.find('=') + 1));
               });
    };
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (!is_replaced(*entry)) {
            list.emplace_back(*entry);
        }
    }
    list.insert(list.end(), more.begin(), more.end());
    if (!library.empty()) {
        list.push_back("LD_PRELOAD=" + library);
    }
    return list;
}

} // namespace linn::tool
