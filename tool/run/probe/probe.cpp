// SPDX-License-Identifier: Apache-2.0
// liblinn-probe.so: preloaded into the measured program and everything it starts. In each of them it appends one record
// that says which program it is and who provides its memory. It runs before main, needs no C++ runtime, opens nothing that
// stays open, allocates nothing but the litter that the measured program is to have, and does nothing at all where
// LINN_PROBE is not set.
#include "../../interpose/mapped_file.hpp"
#include "../../interpose/raw.hpp"
#include "../../measure/ticks.hpp"
#include "record.hpp"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <span>

namespace linn::tool::probe {

namespace {

/// Which files define the memory functions, searched as the dynamic loader does: the first module in load order wins.
struct providers {
    const char* library = nullptr; ///< to be looked for, as it was named to the loader; may be null or empty
    bool library_mapped = false;   ///< it is there
    const char* files[function_count]{}; ///< null: none; "": the executable itself
    const char* next_malloc =
        nullptr; ///< the second that defines malloc: what a library in front passes it to
};

/// The mangled names contain the letter for size_t: 'm' where it is unsigned long.
constexpr bool is_long = sizeof(void*) == 8;
constexpr const char* symbols[function_count] = {"malloc", "free", is_long ? "_Znwm" : "_Znwj", "_ZdlPv",
                                                 is_long ? "_ZdlPvm" : "_ZdlPvj"};

int look_at(dl_phdr_info* module, std::size_t, void* data) noexcept {
    providers& found = *static_cast<providers*>(data);
    const char* const name = module->dlpi_name != nullptr ? module->dlpi_name : "";
    if (std::strncmp(name, "linux-", 6) == 0) { // the kernel's own, without memory functions
        return 0;
    }
    if (found.library != nullptr && *found.library != '\0' && std::strcmp(name, found.library) == 0) {
        found.library_mapped = true;
    }
    const preload::dynamic_symbols table{preload::mapped_file{*module}};
    if (found.files[0] != nullptr && found.next_malloc == nullptr && table.find(symbols[0])) {
        found.next_malloc = name;
    }
    for (std::size_t i = 0; i != function_count; ++i) {
        if (found.files[i] == nullptr && table.find(symbols[i])) {
            found.files[i] = name;
        }
    }
    return 0;
}

/// Reads a number and a colon, and moves `at` behind them; false where something else stands there.
bool read_number(const char*& at, std::uint64_t& number) noexcept {
    number = std::strtoull(at, nullptr, 10);
    at += std::strspn(at, "0123456789");
    return *at++ == ':';
}

/// The sizes of a file, mapped for as long as the program runs; empty where there is none.
std::span<const litter_size> sizes_in(const char* file) noexcept {
    const long fd = ::syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat s{};
    void* sizes = MAP_FAILED;
    if (fd >= 0 && ::fstat(static_cast<int>(fd), &s) == 0 && s.st_size > 0) {
        sizes = ::mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ, MAP_PRIVATE,
                       static_cast<int>(fd), 0);
    }
    ::syscall(SYS_close, fd);
    return sizes == MAP_FAILED ? std::span<const litter_size>{}
                               : std::span{static_cast<const litter_size*>(sizes),
                                           static_cast<std::size_t>(s.st_size) / sizeof(litter_size)};
}

std::uint64_t resident_bytes() noexcept {
    char text[128] = {};
    const long fd = ::syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ::syscall(SYS_read, fd, text, sizeof text - 1);
    ::syscall(SYS_close, fd);
    // Behind the size of all mappings.
    return std::strtoull(text + std::strcspn(text, " "), nullptr, 10) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// What the process has used so far.
litter used_so_far() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    litter used;
    used.wall_ns = now_ns();
    used.user_ns = nanoseconds_of(usage.ru_utime);
    used.sys_ns = nanoseconds_of(usage.ru_stime);
    used.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
    used.resident_bytes = resident_bytes();
    return used;
}

/// A block that waits to be freed. The lists lie in the blocks, so that littering needs no memory of its own.
struct waiting {
    waiting* next;
};

void fill(std::span<const litter_size> sizes, std::uint64_t seed, litter& into) noexcept {
    std::uint64_t all = 0;
    for (const litter_size& s : sizes) {
        all += s.blocks;
    }
    constexpr std::size_t lists = 1024; // as many frees lie between neighbours of one list
    waiting* lost[lists] = {};
    std::mt19937_64 random{seed};
    for (std::uint64_t i = 0; i != all; ++i) {
        std::uint64_t which = random() % all;
        const litter_size* size = sizes.data();
        for (; which >= size->blocks; ++size) {
            which -= size->blocks;
        }
        void* const block = std::malloc(size->bytes < sizeof(waiting) ? sizeof(waiting) : size->bytes);
        if (block == nullptr) {
            break;
        }
        ++into.blocks;
        into.bytes += size->bytes;
        const std::uint64_t dice = random();
        waiting*& list = lost[(dice >> 1) % lists];
        const bool stays = (dice & 1) != 0;
        ::new (block) waiting{stays ? nullptr : list}; // memory that was written to, as a program's
        if (!stays) {
            list = static_cast<waiting*>(block);
        }
    }
    for (waiting*& list : lost) {
        while (list != nullptr) {
            waiting* const block = list;
            list = block->next;
            std::free(block);
            ++into.freed;
        }
    }
}

/// Makes the heap of this process one that was long in use, as LINN_LITTER says: blocks of the sizes in its file, by the
/// program's malloc, half of which are freed in another order. Says in `into` what that was and took. Does nothing
/// where the variable is not set, or names no such file. @source van Kempen and Berger, littering, 2026
void litter_heap(litter& into) noexcept {
    std::uint64_t seed = 0;
    const char* file = preload::variable(litter_variable);
    if (file == nullptr || !read_number(file, seed)) {
        return;
    }
    const litter before = used_so_far();
    fill(sizes_in(file), seed, into);
    const litter after = used_so_far();
    into.wall_ns = after.wall_ns - before.wall_ns;
    into.user_ns = after.user_ns - before.user_ns;
    into.sys_ns = after.sys_ns - before.sys_ns;
    into.minor_faults = after.minor_faults - before.minor_faults;
    into.resident_bytes =
        after.resident_bytes > before.resident_bytes ? after.resident_bytes - before.resident_bytes : 0;
}

/// LINN_PROBE taken apart.
struct order {
    std::uint64_t main_pid = 0;
    char file[PATH_MAX];
    const char* library = nullptr;

    bool read() noexcept {
        const char* value = preload::variable(variable);
        if (value == nullptr || !read_number(value, main_pid)) {
            return false;
        }
        const char* const end = std::strchr(value, ':');
        const auto size = static_cast<std::size_t>(end - value);
        if (end == nullptr || size >= sizeof file) {
            return false;
        }
        std::memcpy(file, value, size);
        file[size] = '\0';
        library = end + 1;
        return true;
    }
};

std::size_t size_of(char** list) noexcept {
    std::size_t size = 0;
    for (; *list != nullptr; ++list) {
        size += std::strlen(*list) + 1;
    }
    return size;
}

/// Makes the record in fresh pages, and writes it in one piece.
void write_record(const order& to, char** arguments_, char** variables, bool is_main, const litter& littered,
                  int fd) noexcept {
    const std::size_t most = sizeof(record) + size_of(arguments_) + (is_main ? size_of(variables) : 0) +
                             (3 + function_count) * PATH_MAX;
    void* const memory = preload::zeroed_memory(most);
    if (memory == nullptr) {
        return;
    }
    record& head = *new (memory) record;
    std::size_t used = sizeof head;
    const auto add = [&](std::size_t which, const char* text, std::size_t bytes) {
        if (bytes <= most - used) {
            std::memcpy(static_cast<char*>(memory) + used, text, bytes);
            head.lengths[which] += static_cast<std::uint32_t>(bytes);
            used += bytes;
        }
    };
    const auto add_list = [&](std::size_t which, char** list) {
        for (; *list != nullptr; ++list) {
            add(which, *list, std::strlen(*list) + 1);
        }
    };
    head.is_main = is_main;
    head.littered = littered;
    ::prctl(PR_GET_NAME, head.name);
    char path[PATH_MAX];
    if (const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path); n > 0) {
        add(executable, path, static_cast<std::size_t>(n));
    }
    const auto* const self = reinterpret_cast<const char*>(&head + 1); // where that lies now
    if (const long n = ::syscall(SYS_getcwd, path, sizeof path); n > 1) {
        add(directory, path, static_cast<std::size_t>(n - 1));
    }
    add_list(arguments, arguments_);
    if (is_main) {
        add_list(environment, variables);
    }

    providers found;
    found.library = to.library;
    ::dl_iterate_phdr(look_at, &found);
    head.preload_mapped = found.library_mapped;
    for (std::size_t i = 0; i != function_count; ++i) {
        if (found.files[i] != nullptr && *found.files[i] == '\0') {
            add(first_function + i, self, head.lengths[executable]);
        } else if (found.files[i] != nullptr) {
            add(first_function + i, found.files[i], std::strlen(found.files[i]));
        }
    }
    if (found.next_malloc != nullptr) {
        add(next_malloc_piece, found.next_malloc, std::strlen(found.next_malloc));
    }
    head.bytes = static_cast<std::uint32_t>(used);
    ::syscall(SYS_write, fd, memory, used);
    ::munmap(memory, most);
}

__attribute__((constructor)) void report(int, char** arguments, char** variables) noexcept {
    const int saved = errno;
    order to;
    if (arguments != nullptr && variables != nullptr && to.read()) {
        const bool is_main = static_cast<std::uint64_t>(::getpid()) == to.main_pid;
        litter littered;
        if (is_main) { // what it starts has a heap of its own, and no share of the sizes
            litter_heap(littered);
        }
        const long fd =
            ::syscall(SYS_openat, AT_FDCWD, to.file, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0) {
            struct stat s{};
            if (::fstat(static_cast<int>(fd), &s) == 0 &&
                static_cast<std::uint64_t>(s.st_size) < (is_main ? most_bytes_of_main : most_bytes)) {
                write_record(to, arguments, variables, is_main, littered, static_cast<int>(fd));
            }
            ::syscall(SYS_close, fd);
        }
    }
    errno = saved;
}

} // namespace

} // namespace linn::tool::probe
