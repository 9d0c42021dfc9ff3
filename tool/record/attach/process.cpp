// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "../../measure/files.hpp"
#include "../../program/executable.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
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
    return read_file(path).value_or("");
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

std::vector<std::string> words_of(const std::string& text, char end = '\0') {
    std::vector<std::string> words;
    std::istringstream in{text};
    for (std::string word; std::getline(in, word, end);) {
        words.push_back(word);
    }
    return words;
}

/// What a folder's file "stat" holds, numbered as in proc(5), from the third field on: behind the name, which is the second.
std::vector<std::string> stat_fields(const std::string& folder) {
    const std::string text = text_of(folder + "/stat");
    const std::size_t end = text.rfind(')');
    return end == std::string::npos ? std::vector<std::string>{} : words_of(text.substr(end + 2), ' ');
}

double ticks_to_ns(const std::string& ticks) {
    return static_cast<double>(number(ticks)) * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
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
    for (const mapping& m : mappings) {
        for (const auto& [file, title] : {std::pair{"libasan.so", "AddressSanitizer"},
                                          {"libtsan.so", "ThreadSanitizer"},
                                          {"liblsan.so", "LeakSanitizer"},
                                          {"libhwasan.so", "HWAddressSanitizer"}}) {
            if (m.file_name().starts_with(file)) {
                return title;
            }
        }
    }
    return {};
}

std::string why_not_this_process(pid_t pid, const std::string& status) {
    const std::string state = field(status, "State");
    if (state.starts_with('Z') || state.starts_with('X')) {
        return fmt::format("process {} has ended: it is a zombie, which its parent has not waited for", pid);
    }
    if (field(status, "Kthread") == "1" || field(status, "VmSize").empty()) {
        return fmt::format("process {} is a thread of the kernel, not a program", pid);
    }
    if (const std::uint64_t tracer = number(field(status, "TracerPid")); tracer != 0) {
        return fmt::format(
            "process {} is traced already, by process {} ({}): end that first, for a process has one "
            "tracer at most",
            pid, tracer, field(text_of(fmt::format("/proc/{}/status", tracer)), "Name"));
    }
    if (state.starts_with('T')) {
        return fmt::format("process {} is stopped: let it go on first, with kill -CONT {}", pid, pid);
    }
    if (const auto user = static_cast<uid_t>(number(field(status, "Uid")));
        user != ::geteuid() && ::geteuid() != 0) {
        const passwd* const known = ::getpwuid(user);
        const std::string name = known != nullptr ? known->pw_name : fmt::format("user {}", user);
        return fmt::format("process {} belongs to {}: run linn as {}{}", pid, name, name,
                           user == 0 ? "" : ", or as root");
    }
    if (link_of(fmt::format("/proc/{}/exe", pid)).empty()) {
        return why_not_traceable(pid, EPERM);
    }
    if (link_of("/proc/self/ns/pid") != link_of(fmt::format("/proc/{}/ns/pid", pid)) ||
        !has_same_files(pid)) {
        return fmt::format(
            "process {} runs in a container or a changed root, where it does not find the recorder: run "
            "linn in there",
            pid);
    }
    // The filter of a container concerns linn in there as well.
    if (number(field(status, "Seccomp")) != 0 &&
        number(field(status, "Seccomp_filters")) >
            number(field(text_of("/proc/self/status"), "Seccomp_filters"))) {
        return fmt::format(
            "process {} has a seccomp filter, which may end it for a system call of the recorder. {}", pid,
            from_its_start);
    }
    if (field(status, "x86_Thread_features").find("shstk") != std::string::npos) {
        return fmt::format("process {} has a shadow stack, which does not let linn call a function in it. {}",
                           pid, from_its_start);
    }
    return {};
}

std::string why_not_this_program(const process_facts& p) {
    executable_info info = inspect_executable(fmt::format("/proc/{}/exe", p.pid));
    const std::string who = fmt::format("process {} ({})", p.pid, p.name);
    if (info.what == executable_info::kind::foreign) {
        return fmt::format("{} was built for another machine: {}", who, info.architecture);
    }
    if (info.what != executable_info::kind::program) {
        return fmt::format("the program of process {} cannot be read", p.pid);
    }
    info.privilege.clear(); // nothing is preloaded
    info.sanitizer = info.sanitizer.empty() ? sanitizer_in(read_mappings(p.pid)) : info.sanitizer;
    if (std::string why = why_not_preloadable(who, info, preload_kind::recorder); !why.empty()) {
        return why;
    }
    const std::vector<std::string> variables = words_of(text_of(fmt::format("/proc/{}/environ", p.pid)));
    const auto is_ring = [](const std::string& variable) { return variable.starts_with("LINN_RECORD="); };
    if (std::any_of(variables.begin(), variables.end(), is_ring)) {
        return fmt::format("{} was started by linn record, and is recorded already", who);
    }
    return {};
}

} // namespace

process_facts examine_process(pid_t pid) {
    process_facts p;
    p.pid = pid;
    const std::string folder = fmt::format("/proc/{}", pid);
    const std::string status = text_of(folder + "/status");
    const std::uint64_t process = number(field(status, "Tgid"));
    if (process == 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) {
        p.problem = fmt::format("there is no process {}", pid);
    } else if (pid == ::getpid()) {
        p.problem = fmt::format("process {} is this linn itself", pid);
    } else if (process != static_cast<std::uint64_t>(pid)) {
        p.problem = fmt::format("{} is a thread of process {}: --pid {}", pid, process, process);
    }
    p.is_usage_error = !p.problem.empty();
    if (p.is_usage_error) {
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
                                 ticks_to_ns(stat_field(folder, 22)));
    p.problem = why_not_this_process(pid, status);
    if (p.problem.empty()) {
        p.problem = why_not_this_program(p);
    }
#if !defined(__x86_64__)
    p.problem = "linn attaches on x86-64 only. " + std::string{from_its_start};
#endif
    return p;
}

std::string why_not_traceable(pid_t pid, int error) {
    const std::string scope = text_of("/proc/sys/kernel/yama/ptrace_scope");
    const std::string state = stat_field(fmt::format("/proc/{}", pid), 3);
    if (error == ETIMEDOUT) {
        return fmt::format(
            "no thread of process {} came to a point where it may open a library: try again. {}", pid,
            from_its_start);
    }
    if (error == ESRCH || state.empty() || state == "Z" || state == "X") {
        return fmt::format("process {} has ended", pid);
    }
    return fmt::format(
        "process {} may not be traced: {}. {} {}", pid, std::strerror(error),
        number(scope) == 0 ? "Does it change its user, or refuse by prctl? Run linn as root, if you can."
        : number(scope) == 3
            ? "kernel.yama.ptrace_scope is 3, which forbids it for all processes."
            : fmt::format("kernel.yama.ptrace_scope is {}: run linn as root, or set it to 0 with sysctl.",
                          number(scope)),
        from_its_start);
}

std::string stat_field(const std::string& folder, std::size_t number) {
    const std::vector<std::string> fields = stat_fields(folder);
    return number - 3 < fields.size() ? fields[number - 3] : std::string{};
}

used_time time_used_by(pid_t pid) {
    const std::vector<std::string> fields =
        stat_fields(fmt::format("/proc/{}", pid)); // read once: it may end
    return fields.size() < 13 ? used_time{} : used_time{ticks_to_ns(fields[11]), ticks_to_ns(fields[12])};
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

bool process_memory::read(std::uint64_t from, void* to, std::size_t bytes) const noexcept {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(from), bytes};
    return ::process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool process_memory::write(std::uint64_t to, const void* from, std::size_t bytes) const noexcept {
    const iovec local{const_cast<void*>(from), bytes};
    const iovec remote{reinterpret_cast<void*>(to), bytes};
    return ::process_vm_writev(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
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
