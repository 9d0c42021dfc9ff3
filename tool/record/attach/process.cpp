// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "../../program/executable.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace linn::tool::attach {
namespace {

namespace fs = std::filesystem;

/// How every refusal ends where nothing else helps.
constexpr const char* from_its_start = "Record it from its start: linn record -- PROG ARGS...";

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream{path}.rdbuf(); // which does not throw when the process ends meanwhile
    return text.str();
}

/// The value of a line "Name:\tvalue" of /proc/PID/status.
std::string field(const std::string& status, const std::string& name) {
    const std::size_t at = ("\n" + status).find("\n" + name + ":\t");
    const std::size_t begin = at + name.size() + 2;
    return at == std::string::npos ? std::string{} : status.substr(begin, status.find('\n', begin) - begin);
}

/// The number that a value begins with.
std::uint64_t number(const std::string& value) {
    return std::strtoull(value.c_str(), nullptr, 10);
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

/// A field of /proc/PID/stat that is a time, in nanoseconds, by its number in proc(5); 0 where the process has ended.
double stat_time(pid_t pid, unsigned number_of_field) {
    const std::string text = text_of(fmt::format("/proc/{}/stat", pid));
    std::istringstream in{text.substr(std::min(text.rfind(')'), text.size()))}; // behind the name, the second
    std::string word;
    for (unsigned i = 2; i <= number_of_field; ++i) {
        in >> word;
    }
    return static_cast<double>(number(in ? word : "0")) * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Whether it sees other files, or files under other names, or other numbers of processes than linn does.
bool is_in_container(const std::string& folder) {
    return std::ranges::any_of(std::array{"/ns/mnt", "/ns/pid", "/root"}, [&](const char* link) {
        return link_of(std::string{"/proc/self"} + link) != link_of(folder + link);
    });
}

bool is_recorded(const std::string& folder) {
    return std::ranges::any_of(words_of(text_of(folder + "/environ")), [](const std::string& variable) {
        return variable.starts_with("LINN_RECORD=");
    });
}

std::string why_not_recordable(const process_facts& p, const std::string& status) {
    const std::string folder = fmt::format("/proc/{}", p.pid);
    const std::string process = fmt::format("process {} ", p.pid);
    if (const std::string tracer = field(status, "TracerPid"); tracer != "0") {
        return process + "is traced already, by process " + tracer +
               ": end that first, for a process has one tracer at most";
    }
    if (field(status, "State").starts_with('T')) {
        return process + fmt::format("is stopped: let it go on first, with kill -CONT {}", p.pid);
    }
    if (p.name.empty()) {
        return why_not_traceable(p.pid, EPERM);
    }
    if (is_in_container(folder)) {
        return process + "runs in a container or a changed root, where it does not find the recorder: run "
                         "linn in there";
    }
    // The filter of a container concerns linn in there as well.
    if (number(field(status, "Seccomp_filters")) >
        number(field(text_of("/proc/self/status"), "Seccomp_filters"))) {
        return process + "has a seccomp filter, which may end it for a system call of the recorder. " +
               from_its_start;
    }
    if (field(status, "x86_Thread_features").find("shstk") != std::string::npos) {
        return process + "has a shadow stack, which does not let linn call a function in it. " +
               from_its_start;
    }
    executable_info info = inspect_executable(folder + "/exe");
    const std::string who = process + "(" + p.name + ")";
    if (info.what != executable_info::kind::program) {
        return who + " was built for another machine, or its program cannot be read";
    }
    info.privilege.clear(); // nothing is preloaded
    std::string why = why_not_preloadable(who, info, preload_kind::recorder);
    if (why.empty() && is_recorded(folder)) {
        why = who + " was started by linn record, and is recorded already";
    }
    return why;
}

} // namespace

process_facts examine_process(pid_t pid) {
    process_facts p;
    p.pid = pid;
    const std::string folder = fmt::format("/proc/{}", pid);
    const std::string status = text_of(folder + "/status");
    if (number(field(status, "Tgid")) != static_cast<std::uint64_t>(pid)) { // a thread has a folder too
        p.problem = fmt::format("there is no process {}", pid);
        p.is_usage_error = true;
        return p;
    }
    p.name = fs::path{link_of(folder + "/exe")}.filename().string();
    p.command = words_of(text_of(folder + "/cmdline"));
    // What is left of longer arguments where a program, such as PostgreSQL, wrote a title over them.
    while (p.command.size() > 1 && p.command.back().empty()) {
        p.command.pop_back();
    }
    p.directory = link_of(folder + "/cwd");
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    p.age_ns = std::max(0.0, static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec) -
                                 stat_time(pid, 22));
    p.problem = why_not_recordable(p, status);
    return p;
}

std::string why_not_traceable(pid_t pid, int error) {
    const std::string status = text_of(fmt::format("/proc/{}/status", pid));
    const std::string state = field(status, "State");
    if (error == ETIMEDOUT) {
        return fmt::format(
            "no thread of process {} came to a point where it may open a library: try again. {}", pid,
            from_its_start);
    }
    if (error == ESRCH || state.empty() || state.starts_with('Z') || state.starts_with('X')) {
        return fmt::format("process {} has ended", pid);
    }
    const bool is_mine = ::geteuid() == 0 || number(field(status, "Uid")) == ::geteuid();
    const std::uint64_t scope = number(text_of("/proc/sys/kernel/yama/ptrace_scope"));
    return fmt::format(
        "process {} may not be traced: {}. {} {}", pid, std::strerror(error),
        !is_mine ? "It belongs to another user: run linn as that user, or as root."
        : scope == 0
            ? "Does it change its user, or refuse by prctl? Run linn as root, if you can."
            : fmt::format("kernel.yama.ptrace_scope is {}: run linn as root, or set it to 0 with sysctl.",
                          scope),
        from_its_start);
}

used_time time_used_by(pid_t pid) {
    clockid_t clock{};
    timespec t{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &t) != 0) {
        return {};
    }
    return {1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec), stat_time(pid, 15)};
}

std::vector<pid_t> threads_of(pid_t pid) {
    std::vector<pid_t> found;
    std::error_code error;
    for (fs::directory_iterator at{fmt::format("/proc/{}/task", pid), error}, end; !error && at != end;
         at.increment(error)) {
        found.push_back(static_cast<pid_t>(number(at->path().filename().string())));
    }
    return found;
}

bool is_uninterruptible(pid_t pid, pid_t tid) {
    return field(text_of(fmt::format("/proc/{}/task/{}/status", pid, tid)), "State").starts_with('D');
}

bool has_program(pid_t pid) {
    return !link_of(fmt::format("/proc/{}/exe", pid)).empty();
}

bool read_memory(pid_t pid, std::uint64_t from, void* to, std::size_t bytes) noexcept {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(from), bytes};
    return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool write_memory(pid_t pid, std::uint64_t to, const void* from, std::size_t bytes) noexcept {
    const iovec local{const_cast<void*>(from), bytes};
    const iovec remote{reinterpret_cast<void*>(to), bytes};
    return ::process_vm_writev(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

std::string mapping::file_name() const {
    constexpr std::string_view deleted = " (deleted)";
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.size() - (name.ends_with(deleted) ? deleted.size() : 0));
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

const mapping* mapping_at(const std::vector<mapping>& all, std::uint64_t address) {
    const auto behind = std::upper_bound(all.begin(), all.end(), address,
                                         [](std::uint64_t a, const mapping& m) { return a < m.end; });
    return behind != all.end() && address >= behind->begin ? &*behind : nullptr;
}

} // namespace linn::tool::attach
