// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include "ticks.hpp"

#include <fmt/chrono.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <thread>

namespace linn::tool {
namespace {

std::string cpu_model() {
    std::ifstream in{"/proc/cpuinfo"};
    std::string line;
    while (std::getline(in, line)) {
        if (line.starts_with("model name") || line.starts_with("Model")) {
            if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
                return line.substr(colon + 2);
            }
        }
    }
    return "unknown CPU";
}

std::string huge_pages() {
    std::ifstream in{"/sys/kernel/mm/transparent_hugepage/enabled"};
    std::string line;
    std::getline(in, line);
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1) : "unknown";
}

std::vector<std::string> steering_environment() {
    constexpr std::array<std::string_view, 7> prefixes{
        "GLIBC_TUNABLES=", "MALLOC_",     "_RJEM_MALLOC_CONF=", "MIMALLOC_",
        "TCMALLOC_",       "TBB_MALLOC_", "LD_LIBRARY_PATH="};
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        for (const std::string_view prefix : prefixes) {
            if (std::string_view{*entry}.starts_with(prefix)) {
                list.emplace_back(*entry);
            }
        }
    }
    return list;
}

} // namespace

machine_info inspect_machine() {
    machine_info m;
    m.cpu_model = cpu_model();
    m.cpus = std::thread::hardware_concurrency();
    utsname name{};
    if (::uname(&name) == 0) {
        m.kernel = std::string{name.sysname} + ' ' + name.release;
    }
    m.huge_pages = huge_pages();
    m.counter = tick_source();
    m.ticks_per_ns = ticks_per_ns();
    m.environment = steering_environment();
    return m;
}

std::vector<unsigned> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> list;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        for (unsigned cpu = 0; cpu != CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) {
                list.push_back(cpu);
            }
        }
    }
    return list;
}

std::optional<std::vector<unsigned>> cpus_in(std::string_view list) {
    std::vector<unsigned> cpus;
    const char* const end = list.data() + list.size();
    for (const char* at = list.data();; ++at) {
        unsigned first = 0;
        std::from_chars_result read = std::from_chars(at, end, first);
        unsigned last = first;
        if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
        }
        at = read.ptr;
        if (read.ec != std::errc{} || last < first || last >= CPU_SETSIZE || (at != end && *at != ',')) {
            return std::nullopt;
        }
        for (unsigned cpu = first; cpu <= last; ++cpu) {
            cpus.push_back(cpu);
        }
        if (at == end) {
            return cpus;
        }
    }
}

std::string time_stamp() {
    return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

void touch_memory(std::size_t bytes) {
    bytes = std::clamp(bytes, std::size_t{1} << 20, std::size_t{1} << 30);
    void* p =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p != MAP_FAILED) {
        ::munmap(p, bytes);
    }
}

double measure_page_fault_ns() {
    constexpr std::size_t pages = 128;
    constexpr int tries = 5;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    double least = 0;
    for (int i = 0; i != tries; ++i) {
        void* const p =
            ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            break;
        }
        ::madvise(p, pages * page, MADV_NOHUGEPAGE);
        const std::uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (std::size_t k = 0; k != pages; ++k) {
            static_cast<volatile char*>(p)[k * page] = 1;
        }
        const double each = static_cast<double>(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / pages;
        ::munmap(p, pages * page);
        least = i == 0 ? each : std::min(least, each);
    }
    return least;
}

} // namespace linn::tool
