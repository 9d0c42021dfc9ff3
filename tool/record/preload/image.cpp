// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include "../../interpose/raw.hpp"
#include "attached.hpp"
#include "modules.hpp"
#include "recorder.hpp"
#include "thread.hpp"
#include "unwind/capture.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

namespace linn::tool::preload {

constinit chunk_windows windows{};
constinit recording current_recording;

namespace {

/// Not a cancellation point: hooks come here.
void close_quietly(int fd) noexcept {
    ::syscall(SYS_close, static_cast<long>(fd));
}

constexpr std::size_t page = 4096;

// Until there is wiped memory, and where there never is any.
constinit process_image first_image{};

constinit bool was_tried = false;
constinit bool was_prepared = false; ///< for all recordings
constinit std::uint32_t last_image = 0;
constinit std::atomic<bool> has_stopped{false};
/// The program may write over its environment.
constinit char ring_path[128];

/// The last number of a link in /proc: of /proc/self the process, of /proc/thread-self the thread; 0: no /proc.
std::uint32_t id_in_proc(const char* link) noexcept {
    char text[64];
    const ssize_t n = ::readlink(link, text, sizeof text - 1);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    const char* const slash = std::strrchr(text, '/');
    return static_cast<std::uint32_t>(std::strtoul(slash != nullptr ? slash + 1 : text, nullptr, 10));
}

bool map_ring(const char* path) noexcept {
    const int fd = ::open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return false;
    }
    struct stat status{};
    const auto map = [&](std::size_t bytes) {
        void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        return memory == MAP_FAILED ? nullptr : memory;
    };
    // The header says how much there is to map.
    void* const begin =
        ::fstat(fd, &status) == 0 && status.st_size >= static_cast<off_t>(page) ? map(page) : nullptr;
    const wire::ring found{begin};
    bool is_mapped = false;
    if (begin != nullptr && found.usable(static_cast<std::size_t>(status.st_size)) &&
        found.chunk_count() <= chunk_windows::group * chunk_windows::most_groups) {
        if (void* const memory = map(wire::ring::header_bytes(found.chunk_count())); memory != nullptr) {
            current_recording.ring = wire::ring{memory};
            windows.begin(fd, ring_path);
            // While the path leads to the file: the program may change its root or its user.
            windows.map(current_recording.ring, 0);
            is_mapped = true;
        } else {
            found.header().dropped.fetch_add(1, std::memory_order_relaxed); // all of its events
        }
    }
    if (begin != nullptr) {
        ::munmap(begin, page);
    }
    ::close(fd);
    return is_mapped;
}

void after_fork() noexcept {
    if (!current_recording.fork_is_wiped) {
        std::memset(static_cast<void*>(current_image), 0, sizeof *current_image);
    }
    // Later, with the child's first allocation, unless the fork came from a signal handler that interrupted the recorder:
    // what was interrupted goes on in the child too.
    if (current_recording.ring && (is_in_hook() || !current_recording.fork_is_wiped)) {
        is_recording();
    }
}

/// The pulse of the collector was seen last at that time, on the clock of the system.
constinit std::atomic<std::uint32_t> last_pulse{0};
constinit std::atomic<std::int64_t> last_pulse_at{0};
constinit std::int64_t begun_at = 0; ///< the recording

std::int64_t seconds_now() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}

/// For the recording that begins into the ring; the first one of a program file makes what all others need.
void prepare() noexcept {
    unwind::start(current_recording.ring.header().options.depth);
    begun_at = seconds_now();
    last_pulse_at.store(begun_at, std::memory_order_relaxed);
    if (was_prepared) {
        return;
    }
    was_prepared = true;
    if (void* const memory = wiped_memory(page)) {
        auto* const image = static_cast<process_image*>(memory);
        image->starter = first_image.starter;
        image->state.store(process_image::starting, std::memory_order_relaxed);
        current_image = image;
    }
    ::pthread_atfork(nullptr, nullptr, after_fork);
    prepare_threads();
}

/// Once a program file: the ring, and what forks do not change.
bool begin_recording() noexcept {
    const char* const path = variable(wire::ring_variable);
    if (path == nullptr || std::strlen(path) >= sizeof ring_path) {
        return false;
    }
    std::strcpy(ring_path, path);
    if (!map_ring(path)) {
        return false;
    }
    const std::uint32_t pid = id_in_proc("/proc/self");
    current_recording.other_namespace = pid != 0 && pid != own_pid();
    prepare();
    return true;
}

bool start_image() noexcept {
    const bool is_fork = was_tried;
    if (!is_fork) {
        was_tried = true;
        if (!begin_recording()) {
            has_stopped.store(true, std::memory_order_relaxed);
            return false;
        }
    } else if (has_stopped.load(std::memory_order_relaxed)) {
        return false;
    }
    process_image& image = *current_image;
    image.kernel_pid = own_pid();
    const std::uint32_t seen = current_recording.other_namespace ? id_in_proc("/proc/self") : 0;
    image.pid = seen != 0 ? seen : image.kernel_pid;
    wire::ring_header& h = current_recording.ring.header();
    image.id = h.images.fetch_add(1, std::memory_order_relaxed) + 1;
    image.parent = last_image;
    image.origin = is_fork ? 1 : image.id != 1 ? 2 : 0;
    last_image = image.id;
    if (is_fork) {
        threads_after_fork();
    }
    return true;
}

} // namespace

void chunk_windows::begin(int fd, const char* path) noexcept {
    struct stat status{};
    ::fstat(fd, &status);
    path_ = path;
    fd_ = path == nullptr ? fd : -1;
    device_ = status.st_dev;
    inode_ = status.st_ino;
}

/// The program may have closed the descriptor, and opened another file under its number.
bool chunk_windows::is_the_file(int fd) const noexcept {
    struct stat status{};
    return fd >= 0 && ::fstat(fd, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int chunk_windows::open_again() const noexcept {
    return path_ == nullptr ? fd_
                            : static_cast<int>(::syscall(SYS_openat, static_cast<long>(AT_FDCWD), path_,
                                                         static_cast<long>(O_RDWR | O_CLOEXEC | O_NOCTTY)));
}

bool chunk_windows::map(const wire::ring& ring, std::uint32_t chunk) noexcept {
    if (has(chunk)) {
        return true;
    }
    const int fd = open_again();
    void* memory = MAP_FAILED;
    if (is_the_file(fd)) {
        // Also what would lie behind the last chunk, which nothing touches.
        memory = ::mmap(nullptr, group_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        static_cast<off_t>(ring.offset_of(chunk / group * group)));
    }
    if (path_ != nullptr && fd >= 0) {
        close_quietly(fd);
    }
    if (memory == MAP_FAILED) {
        return has(chunk); // another thread may have taken the last addresses for it
    }
    ::madvise(memory, group_bytes, MADV_DONTDUMP);
    unsigned char* expected = nullptr;
    // Pairs with has() and at(): a thread that sees the address sees the mapping.
    if (groups_[chunk / group].compare_exchange_strong(expected, static_cast<unsigned char*>(memory),
                                                       std::memory_order_acq_rel)) {
        mapped_.fetch_add(1, std::memory_order_relaxed);
    } else {
        ::munmap(memory, group_bytes); // another thread was faster
    }
    return true;
}

void chunk_windows::forget() noexcept {
    for (std::atomic<unsigned char*>& entry : groups_) {
        if (unsigned char* const memory = entry.exchange(nullptr, std::memory_order_relaxed)) {
            ::munmap(memory, group_bytes);
        }
    }
    mapped_.store(0, std::memory_order_relaxed);
    if (is_the_file(fd_)) {
        close_quietly(fd_);
    }
    fd_ = -1;
}

constinit process_image* current_image = &first_image;

void* wiped_memory(std::size_t bytes) noexcept {
    void* const p = zeroed_memory(bytes);
    if (p != nullptr) {
        current_recording.fork_is_wiped = ::madvise(p, bytes, MADV_WIPEONFORK) == 0;
    }
    return p;
}

bool is_recording() noexcept {
    for (;;) {
        process_image& image = *current_image;
        switch (image.state.load(std::memory_order_acquire)) { // pairs with the store below
        case process_image::on:
            return true;
        case process_image::off:
            return false;
        case process_image::starting:
            // Our own allocations while we start are not the program's.
            if (image.starter == own_tid()) {
                return false;
            }
            ::sched_yield();
            break;
        default: {
            if (!was_tried && environ == nullptr) {
                return false; // the C library has not begun yet
            }
            std::uint32_t expected = process_image::unknown;
            if (!image.state.compare_exchange_strong(expected, process_image::starting,
                                                     std::memory_order_acquire)) {
                break;
            }
            image.starter = own_tid();
            const bool good = start_image();
            // Pairs with the load above: who sees the state sees the image.
            const auto result = good ? process_image::on : process_image::off;
            first_image.state.store(result, std::memory_order_release);
            current_image->state.store(result, std::memory_order_release);
            return good;
        }
        }
    }
}

void stop_recording() noexcept {
    has_stopped.store(true, std::memory_order_relaxed);
    current_image->state.store(process_image::off, std::memory_order_release); // pairs with is_recording()
}

void prepare_attached(const wire::ring& ring) noexcept {
    first_image.starter = own_tid();
    current_recording.ring = ring;
    prepare();
    was_tried = true;
    ++recording_number;
    unwind::restart();
    forget_modules();
    probes.clear();
    sample.clear();
    process_image& image = *current_image;
    image.state.store(process_image::off, std::memory_order_relaxed);
    image.kernel_pid = image.pid = own_pid();
    image.id = last_image = ring.header().images.fetch_add(1, std::memory_order_relaxed) + 1;
    image.parent = 0;
    image.origin = 0;
    image.is_described.store(false, std::memory_order_relaxed);
}

void let_record() noexcept {
    has_stopped.store(false, std::memory_order_relaxed);
    // Pairs with the load in is_recording().
    first_image.state.store(process_image::on, std::memory_order_release);
    current_image->state.store(process_image::on, std::memory_order_release);
}

void forget_ring() noexcept {
    wire::ring_header& h = current_recording.ring.header();
    windows.forget();
    current_recording.ring = {};
    ::munmap(static_cast<void*>(&h), wire::ring::header_bytes(h.chunk_count));
}

bool collector_lives() noexcept {
    constexpr std::int64_t most_seconds = 10;
    const wire::ring_header& h = current_recording.ring.header();
    if (h.closed.load(std::memory_order_relaxed) != 0 ||
        (::kill(static_cast<pid_t>(h.collector_pid), 0) != 0 && errno == ESRCH &&
         !current_recording.other_namespace)) {
        return false;
    }
    const std::uint32_t pulse = h.pulse.load(std::memory_order_relaxed);
    if (last_pulse.load(std::memory_order_acquire) == pulse) { // pairs with the release below
        // One that is stopped, or waits for its disk, has its file still, and keeps the recording that it has begun; a zombie has none.
        return seconds_now() - last_pulse_at.load(std::memory_order_relaxed) <= most_seconds ||
               (recording_number == 0 && ::access(ring_path, F_OK) == 0);
    }
    const std::int64_t now = seconds_now();
    last_pulse_at.store(now, std::memory_order_relaxed);
    last_pulse.store(pulse, std::memory_order_release); // pairs with the acquire above: the time is as new
    // For so long a call may be under way that began before the hooks were in.
    if (recording_number != 0 && now - begun_at <= 1) {
        slots::look_again();
    }
    return true;
}

std::uint32_t collectors_tid() noexcept {
    const std::uint32_t tid = current_recording.other_namespace ? id_in_proc("/proc/thread-self") : 0;
    return tid != 0 ? tid : own_tid();
}

} // namespace linn::tool::preload
