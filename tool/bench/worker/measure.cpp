// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace linn::tool::worker {

std::uint64_t page_faults() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt);
}

std::uint64_t proc_bytes(const char* file, const char* words) noexcept {
    static char text[16'384]; // a stream would allocate
    const int opened = ::open(file, O_RDONLY | O_CLOEXEC);
    if (opened < 0) {
        return 0;
    }
    const ssize_t got = ::read(opened, text, sizeof text - 1);
    ::close(opened);
    text[got > 0 ? got : 0] = '\0';
    const char* const found = std::strstr(text, words);
    return found == nullptr ? 0 : std::strtoull(found + std::strlen(words), nullptr, 10) * 1'024; // from KiB
}

namespace {

/// Where the process may run.
const cpu_set_t usable = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    return set;
}();
int pinned = -1; // to that CPU

/// A number that CPUs of one core share and that other cores do not, the least of them; -1 when the kernel does not say.
long core_of(unsigned cpu) {
    char path[96];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
    std::FILE* const file = std::fopen(path, "re");
    long least = -1;
    if (file != nullptr) {
        static_cast<void>(std::fscanf(file, "%ld", &least) == 1);
        std::fclose(file);
    }
    return least;
}

bool pin_to(unsigned cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

} // namespace

void pin(const std::string& cpu) {
    if (cpu == "none") {
        return;
    }
    // The kernel starts a new program on the CPU it finds idlest; staying there is better than a fixed number.
    const int wanted = cpu == "auto" ? ::sched_getcpu() : std::atoi(cpu.c_str());
    if (wanted >= 0 && wanted < CPU_SETSIZE && pin_to(static_cast<unsigned>(wanted))) {
        pinned = wanted;
    }
}

unsigned usable_cpus() {
    const int count = CPU_COUNT(&usable);
    return count < 1 ? 1 : static_cast<unsigned>(count);
}

void unpin_thread() {
    if (pinned >= 0) {
        ::sched_setaffinity(0, sizeof usable, &usable);
    }
}

void pin_thread(unsigned index) {
    if (pinned < 0) {
        return;
    }
    const unsigned home = static_cast<unsigned>(pinned);
    const long home_core = core_of(home);
    unsigned left = index;
    if (left == 0) {
        pin_to(home);
        return;
    }
    for (const bool same_core : {false, true}) {
        for (unsigned step = 1; step != CPU_SETSIZE; ++step) {
            const unsigned cpu = (home + step) % CPU_SETSIZE;
            const bool shares = home_core >= 0 && CPU_ISSET(cpu, &usable) && core_of(cpu) == home_core;
            if (CPU_ISSET(cpu, &usable) && shares == same_core && --left == 0) {
                pin_to(cpu);
                return;
            }
        }
    }
}

std::string run_apart(const std::function<bool()>& work) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        return "it cannot fork";
    }
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) { // which ended before the line above
            ::_exit(1);
        }
        bool is_done = false;
        try {
            is_done = work();
        } catch (const std::exception&) {
        }
        ::_exit(is_done ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        ::raise(WTERMSIG(status)); // as if the work had run here
    }
    return status == 0 ? "" : "it ended before its time";
}

namespace {

/// What the passes of one thread took.
struct member {
    struct pass {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };

    std::vector<pass> passes;
    double share = 1; ///< of its CPU
};

} // namespace

phase measure_team(std::string name, unsigned threads, std::size_t operations, passes how,
                   double& least_share, const std::function<void(const run_passes&)>& work) {
    spin_barrier barrier{threads};
    std::uint64_t faults = 0;
    std::vector<member> members(threads);
    const auto take_part = [&](unsigned index) {
        member& own = members[index];
        own.passes.resize(how.count);
        work([&](const std::function<void(std::size_t)>& body) {
            barrier.wait();
            if (how.warm_up) {
                body(operations);
            }
            barrier.wait();
            if (index == 0) {
                faults = page_faults();
            }
            const std::uint64_t wall = now_ns();
            const std::uint64_t busy = cpu_ns();
            for (member::pass& p : own.passes) {
                barrier.wait();
                p.start = ticks();
                body(operations);
                p.end = ticks();
            }
            own.share = static_cast<double>(cpu_ns() - busy) / static_cast<double>(now_ns() - wall);
            barrier.wait();
            if (index == 0) {
                faults = page_faults() - faults;
            }
            barrier.wait(); // no thread returns memory while faults are counted
        });
    };
    {
        std::vector<std::thread> helpers;
        for (unsigned index = 1; index < threads; ++index) {
            helpers.emplace_back([&, index] {
                pin_thread(index);
                take_part(index);
            });
        }
        take_part(0);
        for (std::thread& t : helpers) {
            t.join();
        }
    }
    std::vector<double> durations;
    for (std::size_t p = 0; p != how.count; ++p) {
        member::pass whole = members.front().passes[p];
        for (const member& m : members) {
            whole.start = std::min(whole.start, m.passes[p].start);
            whole.end = std::max(whole.end, m.passes[p].end);
        }
        durations.push_back(static_cast<double>(whole.end - whole.start) / static_cast<double>(operations));
    }
    std::sort(durations.begin(), durations.end());
    for (unsigned index = 1; index < threads; ++index) {
        least_share = std::min(least_share, members[index].share);
    }
    const double all = static_cast<double>(operations * how.count * threads);
    return {std::move(name), durations[how.count / 2], static_cast<double>(faults) / all, {}};
}

} // namespace linn::tool::worker
