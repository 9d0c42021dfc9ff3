// SPDX-License-Identifier: Apache-2.0
#include "attachable.hpp"

#include "../../program/executable.hpp"
#include "../../program/reach.hpp"
#include "process_memory.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

namespace linn::tool::attach {
namespace {

namespace fs = std::filesystem;

/// How every refusal ends where nothing else helps.
constexpr const char* from_its_start = "Record it from its start: linn record -- PROG ARGS...";

std::string text_of(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The value of a line "Name:\tvalue" of /proc/PID/status.
std::string field(const std::string& status, std::string_view name) {
    std::istringstream in{status};
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ':') {
            const std::size_t at = line.find_first_not_of(" \t", name.size() + 1);
            return at == std::string::npos ? std::string{} : line.substr(at);
        }
    }
    return {};
}

/// The number that a value begins with.
std::uint64_t number(const std::string& value) {
    std::uint64_t n = 0;
    std::from_chars(value.data(), value.data() + value.size(), n);
    return n;
}

std::string user_name(uid_t user) {
    const passwd* const known = ::getpwuid(user);
    return known != nullptr ? known->pw_name : fmt::format("user {}", user);
}

std::string link_of(const std::string& path) {
    std::error_code error;
    return fs::read_symlink(path, error).string();
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in{text};
    for (std::string word; std::getline(in, word, '\0');) {
        words.push_back(word);
    }
    return words;
}

/// The fields of /proc/PID/stat behind the name, from the third on.
std::vector<std::string> stat_fields(pid_t pid) {
    const std::string text = text_of(fmt::format("/proc/{}/stat", pid));
    const std::size_t name_end = text.rfind(')');
    std::vector<std::string> fields;
    if (name_end != std::string::npos) {
        std::istringstream in{text.substr(name_end + 1)};
        for (std::string word; in >> word;) {
            fields.push_back(word);
        }
    }
    return fields;
}

double ticks_to_ns(const std::string& ticks) {
    return static_cast<double>(number(ticks)) * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double age_of(pid_t pid) {
    constexpr std::size_t started = 19; // the 22nd of all
    const std::vector<std::string> fields = stat_fields(pid);
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const double since_boot = static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
    return fields.size() > started ? std::max(0.0, since_boot - ticks_to_ns(fields[started])) : 0;
}

/// Whether it sees the same files under the same names.
bool has_same_files(pid_t pid) {
    struct stat here{};
    struct stat there{};
    return link_of("/proc/self/ns/mnt") == link_of(fmt::format("/proc/{}/ns/mnt", pid)) &&
           ::stat("/proc/self/root/.", &here) == 0 &&
           ::stat(fmt::format("/proc/{}/root/.", pid).c_str(), &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

std::string sanitizer_in(const std::vector<mapping>& mappings) {
    constexpr std::array<std::pair<std::string_view, const char*>, 4> runtimes = {
        {{"libasan.so", "AddressSanitizer"},
         {"libtsan.so", "ThreadSanitizer"},
         {"liblsan.so", "LeakSanitizer"},
         {"libhwasan.so", "HWAddressSanitizer"}}};
    for (const mapping& m : mappings) {
        for (const auto& [file, title] : runtimes) {
            if (file_name(m).starts_with(file)) {
                return title;
            }
        }
    }
    return {};
}

std::string why_not_this_state(const process_facts& p, const std::string& status) {
    const std::string state = field(status, "State");
    if (state.starts_with('Z') || state.starts_with('X')) {
        return fmt::format("process {} has ended: it is a zombie, which its parent has not waited for",
                           p.pid);
    }
    if (field(status, "Kthread") == "1" || field(status, "VmSize").empty()) {
        return fmt::format("process {} is a thread of the kernel, not a program", p.pid);
    }
    if (const std::uint64_t tracer = number(field(status, "TracerPid")); tracer != 0) {
        return fmt::format(
            "process {} is traced already, by process {} ({}): end that first, for a process has one "
            "tracer at most",
            p.pid, tracer, field(text_of(fmt::format("/proc/{}/status", tracer)), "Name"));
    }
    if (state.starts_with('T')) {
        return fmt::format("process {} is stopped: let it go on first, with kill -CONT {}", p.pid, p.pid);
    }
    return {};
}

std::string why_not_this_user(const process_facts& p, const std::string& status) {
    const auto user = static_cast<uid_t>(number(field(status, "Uid")));
    if (user != ::geteuid() && ::geteuid() != 0) {
        const std::string name = user_name(user);
        return fmt::format("process {} belongs to {}: run linn as {}{}", p.pid, name, name,
                           user == 0 ? "" : ", or as root");
    }
    return {};
}

std::string why_not_this_place(const process_facts& p, const std::string& status) {
    if (link_of("/proc/self/ns/pid") != link_of(fmt::format("/proc/{}/ns/pid", p.pid)) ||
        !has_same_files(p.pid)) {
        return fmt::format(
            "process {} runs in a container or a changed root, where it does not find the recorder: run "
            "linn in there",
            p.pid);
    }
    // A container's own filter concerns linn in there as well.
    const std::string own = text_of("/proc/self/status");
    if (number(field(status, "Seccomp")) != 0 &&
        number(field(status, "Seccomp_filters")) > number(field(own, "Seccomp_filters"))) {
        return fmt::format(
            "process {} has a seccomp filter, which may end it for a system call of the recorder. {}", p.pid,
            from_its_start);
    }
    if (field(status, "x86_Thread_features").find("shstk") != std::string::npos) {
        return fmt::format("process {} has a shadow stack, which does not let linn call a function in it. {}",
                           p.pid, from_its_start);
    }
    return {};
}

std::string why_not_this_program(const process_facts& p) {
    const fs::path file = fmt::format("/proc/{}/exe", p.pid);
    const executable_info info = inspect_executable(file);
    const std::string who = fmt::format("process {} ({})", p.pid, p.name);
    if (info.what == executable_info::kind::foreign) {
        return fmt::format("{} was built for another machine: {}", who, info.architecture);
    }
    if (info.what != executable_info::kind::program) {
        return fmt::format("the program of process {} cannot be read", p.pid);
    }
    // Its privileges do not matter: nothing is preloaded.
    executable_info unprivileged = info;
    unprivileged.privilege.clear();
    const std::vector<mapping> mappings = read_mappings(p.pid);
    if (unprivileged.sanitizer.empty()) {
        unprivileged.sanitizer = sanitizer_in(mappings);
    }
    if (std::string why = why_not_preloadable(who, unprivileged, preload_kind::recorder); !why.empty()) {
        return why;
    }
    const auto is_recorder = [](const mapping& m) {
        return file_name(m) == "liblinn-record.so" || file_name(m) == "liblinn-sample.so";
    };
    if (std::any_of(mappings.begin(), mappings.end(), is_recorder)) {
        for (const std::string& variable : words_of(text_of(fmt::format("/proc/{}/environ", p.pid)))) {
            if (variable.starts_with("LINN_RECORD=")) {
                return fmt::format("{} was started by linn record, and is recorded already", who);
            }
        }
    }
    return {};
}

} // namespace

process_facts examine_process(pid_t pid) {
    process_facts p;
    p.pid = pid;
    if (::kill(pid, 0) != 0 && errno == ESRCH) {
        p.problem = fmt::format("there is no process {}", pid);
        p.is_usage_error = true;
        return p;
    }
    if (pid == ::getpid()) {
        p.problem = fmt::format("process {} is this linn itself", pid);
        p.is_usage_error = true;
        return p;
    }
    const std::string status = text_of(fmt::format("/proc/{}/status", pid));
    if (const std::uint64_t process = number(field(status, "Tgid"));
        process != static_cast<std::uint64_t>(pid)) {
        p.problem = process == 0
                        ? fmt::format("there is no process {}", pid)
                        : fmt::format("{} is a thread of process {}: --pid {}", pid, process, process);
        p.is_usage_error = true;
        return p;
    }
    p.name = fs::path{link_of(fmt::format("/proc/{}/exe", pid))}.filename().string();
    if (p.name.empty()) {
        p.name = field(status, "Name");
    }
    p.command = words_of(text_of(fmt::format("/proc/{}/cmdline", pid)));
    // What is left of longer arguments where a program, such as PostgreSQL, wrote a title over them.
    while (p.command.size() > 1 && p.command.back().empty()) {
        p.command.pop_back();
    }
    p.directory = link_of(fmt::format("/proc/{}/cwd", pid));
    p.age_ns = age_of(pid);
#if !defined(__x86_64__)
    p.problem = "linn attaches on x86-64 only. " + std::string{from_its_start};
    return p;
#endif
    for (const auto& why : {why_not_this_state(p, status), why_not_this_user(p, status)}) {
        if (!why.empty()) {
            p.problem = why;
            return p;
        }
    }
    if (link_of(fmt::format("/proc/{}/exe", pid)).empty() &&
        ::access(fmt::format("/proc/{}/exe", pid).c_str(), F_OK) != 0) {
        p.problem = why_not_traceable(pid, EPERM);
        return p;
    }
    p.problem = why_not_this_place(p, status);
    if (p.problem.empty()) {
        p.problem = why_not_this_program(p);
    }
    return p;
}

std::string why_not_traceable(pid_t pid, int error) {
    const std::uint64_t scope = number(text_of("/proc/sys/kernel/yama/ptrace_scope"));
    const std::string state = field(text_of(fmt::format("/proc/{}/status", pid)), "State");
    if (error == ESRCH || state.empty() || state.starts_with('Z') || state.starts_with('X')) {
        return fmt::format("process {} has ended", pid);
    }
    if (error == EPERM && scope == 3) {
        return fmt::format("this system allows no process to be traced (kernel.yama.ptrace_scope is 3). {}",
                           from_its_start);
    }
    if (error == EPERM && scope != 0 && ::geteuid() != 0) {
        return fmt::format(
            "this system lets a user trace only processes that he has started with the tracer "
            "(kernel.yama.ptrace_scope is {}): run linn as root, or sysctl kernel.yama.ptrace_scope=0. {}",
            scope, from_its_start);
    }
    return fmt::format(
        "process {} may not be traced: {} (does it change its user, or refuse by prctl?). Run linn as "
        "root, if you can. {}",
        pid, std::strerror(error), from_its_start);
}

used_time time_used_by(pid_t pid) {
    constexpr std::size_t user = 11; // the 14th of all
    const std::vector<std::string> fields = stat_fields(pid);
    return fields.size() > user + 1 ? used_time{ticks_to_ns(fields[user]), ticks_to_ns(fields[user + 1])}
                                    : used_time{};
}

} // namespace linn::tool::attach
