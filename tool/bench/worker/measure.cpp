// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace linn::tool::worker {

std::uint64_t page_faults() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt);
}

std::uint64_t cpu_ns() noexcept {
    std::timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

double canary() noexcept {
    constexpr std::uint64_t steps =
        1'000'000; // one to two milliseconds: longer than a scheduler's wake-up, short beside a phase
    std::uint64_t x = 88'172'645'463'325'252u;
    const std::uint64_t start = ticks();
    for (std::uint64_t i = 0; i != steps; ++i) {
        x = x * 6'364'136'223'846'793'005u + i;
        asm volatile("" : "+r"(x));
    }
    return static_cast<double>(ticks() - start) / static_cast<double>(steps);
}

std::uint64_t peak_rss_bytes() {
    std::FILE* status = std::fopen("/proc/self/status", "re");
    if (status == nullptr)
        return 0;
    std::uint64_t kib = 0;
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr)
        if (std::strncmp(line, "VmHWM:", 6) == 0)
            kib = std::strtoull(line + 6, nullptr, 10);
    std::fclose(status);
    return kib * 1024;
}

int pin(const std::string& cpu) {
    if (cpu == "none")
        return -1;
    // The kernel starts a new program on the CPU it finds idlest; staying there is better than a fixed number.
    const int wanted = cpu == "auto" ? ::sched_getcpu() : std::atoi(cpu.c_str());
    if (wanted < 0 || wanted >= CPU_SETSIZE)
        return -1;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(wanted), &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0 ? wanted : -1;
}

} // namespace linn::tool::worker
