// SPDX-License-Identifier: Apache-2.0
#include "collector.hpp"

#include "../measure/ticks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace linn::tool {
namespace {

using wire::chunk_state;
using wire::chunk_word;
using clock = std::chrono::steady_clock;

/// How long a worker sleeps when nothing wakes it.
constexpr unsigned nap_ms = 50;
/// How often the owners of chunks are looked at: reading /proc for a thousand of them takes milliseconds.
constexpr std::chrono::milliseconds between_looks{250};
/// Chunks from this one on are in use only after a crowd; their memory is given back.
constexpr std::uint32_t warm_chunks = 512;

/// The image that a chunk says it belongs to.
std::uint32_t image_of(const unsigned char* chunk) {
    std::uint32_t image = 0;
    std::memcpy(&image, chunk + offsetof(wire::chunk_header, image), sizeof image);
    return image;
}

/// And the process.
std::uint32_t pid_of(const unsigned char* chunk) {
    std::uint32_t pid = 0;
    std::memcpy(&pid, chunk + offsetof(wire::chunk_header, pid), sizeof pid);
    return pid;
}

/// The letter that /proc/…/stat gives a task's state; 0 when there is no such task.
char task_state(std::uint32_t pid, std::uint32_t tid) {
    std::array<char, 64> path{};
    if (tid == 0) {
        fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid);
    } else {
        fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/task/{}/stat", pid, tid);
    }
    const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ESRCH ? '\0' : 'R';
    }
    // The state stands behind the name, which may hold anything, parentheses included.
    std::array<char, 512> text{};
    const ssize_t got = ::read(fd, text.data(), text.size() - 1);
    ::close(fd);
    const char* const name_end = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
    return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : '\0';
}

/// The processes that were started with NAME=value in their environment, or forked from one that was. One that has just
/// been forked or has just executed another program is among them, before it has done anything.
std::vector<std::uint32_t> processes_with(const std::string& name_and_value) {
    std::vector<std::uint32_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at{"/proc", error}, end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::uint32_t pid = 0;
        const auto [stop, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (bad != std::errc{} || stop != name.data() + name.size()) {
            continue;
        }
        std::ifstream in{at->path() / "environ",
                         std::ios::binary}; // others' cannot be read, a zombie's is empty
        for (std::string entry; std::getline(in, entry, '\0');) {
            if (entry == name_and_value) {
                found.push_back(pid);
                break;
            }
        }
    }
    return found;
}

/// Whether a thread still runs; a zombie does not. `tid` may be 0: then any thread of the process.
bool is_thread_alive(std::uint32_t pid, std::uint32_t tid) {
    // Cheap, and right for nearly all that are gone; a zombie still takes signals.
    const bool has_task = tid == 0 ? ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM
                                   : ::syscall(SYS_tgkill, pid, tid, 0) == 0 || errno == EPERM;
    if (!has_task) {
        return false;
    }
    const char state = task_state(pid, tid);
    return state != '\0' && state != 'Z' && state != 'X';
}

} // namespace

collector::~collector() {
    stops_.store(true, std::memory_order_relaxed);
    for (std::thread& t : workers_) {
        t.join();
    }
}

void collector::start(unsigned workers) {
    for (unsigned i = 0; i != workers; ++i) {
        workers_.emplace_back([this, i] { work(i == 0); });
    }
}

void collector::work(bool looks_after_the_dead) {
    worker_state worker;
    clock::time_point looked = clock::now();
    while (!stops_.load(std::memory_order_relaxed)) {
        wire::ring_header& header = ring_.ring().header();
        header.pulse.fetch_add(1, std::memory_order_relaxed);
        const std::uint32_t seen = header.filled.load(std::memory_order_relaxed);
        const bool found = take_full_chunks(worker);
        if (looks_after_the_dead && clock::now() - looked >= between_looks) {
            take_from_the_dead(worker);
            looked = clock::now();
        }
        if (!found) {
            ring_.ring().wait_for_chunks(seen, nap_ms);
        }
    }
}

/// Hands on a taken chunk and frees it.
void collector::handle(std::uint32_t chunk, worker_state& worker) {
    const wire::ring& ring = ring_.ring();
    worker.copy.resize(wire::chunk_bytes);
    std::memcpy(worker.copy.data(), ring.chunk(chunk), wire::chunk_bytes);
    if (chunk >= warm_chunks) {
        ring_.punch(chunk);
    } else {
        std::memset(ring.chunk(chunk), 0, wire::chunk_bytes);
    }
    hand_on(worker.copy, worker);
    ring.give_back(chunk); // only now: what waits to be written is what `most_in_flight` limits
}

void collector::hand_on(std::span<unsigned char> chunk, worker_state& worker) {
    const std::uint32_t only = only_pid_.load(std::memory_order_relaxed);
    const bool is_left_out = only != 0 && pid_of(chunk.data()) != only;
    const chunk_frame frame = frame_of_chunk(chunk);
    if (!frame.payload.empty() && !is_left_out) {
        taker_.take(frame, worker.compressor);
    }
    const bool is_lost = !taker_.problem().empty();
    if (is_lost) {
        ring_.ring().header().closed.store(1, std::memory_order_relaxed);
    }
    const std::lock_guard lock{mutex_};
    if (frame.damage != nullptr && !frame.payload.empty()) {
        ++result_.damaged_chunks;
    }
    if (is_lost && result_.stopped_ns == 0) {
        result_.stopped_ns = now_ns();
    }
    if (frame.payload.empty() || is_left_out) {
        return;
    }
    if (is_lost) {
        result_.unwritten += frame.header.events;
        return;
    }
    result_.events += frame.header.events;
    result_.chunks += 1;
    result_.last_ticks = std::max(result_.last_ticks, frame.header.last_time);
    result_.images.insert(frame.header.image);
    result_.threads.insert(frame.header.thread);
    pids_.insert(frame.header.pid);
}

bool collector::take_full_chunks(worker_state& worker) {
    const wire::ring& ring = ring_.ring();
    bool found = false;
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        const chunk_word word = ring.word(i);
        if (word.state == chunk_state::full && ring.take(i, word)) {
            handle(i, worker);
            found = true;
        }
    }
    return found;
}

void collector::take_from_the_dead(worker_state& worker) {
    const wire::ring& ring = ring_.ring();
    std::map<std::uint32_t, std::uint32_t> newest_image; // of a process: exec ends the older ones
    std::vector<std::pair<std::uint32_t, chunk_word>> owned;
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        const chunk_word word = ring.word(i);
        if (word.state != chunk_state::owned) {
            continue;
        }
        owned.emplace_back(i, word);
        std::uint32_t& newest = newest_image[word.pid];
        newest = std::max(newest, image_of(ring.chunk(i)));
    }
    for (const auto& [chunk, word] : owned) {
        const std::uint32_t image = image_of(ring.chunk(chunk));
        const bool is_outlived = image != 0 && image < newest_image[word.pid];
        if ((is_outlived || !is_thread_alive(word.pid, word.tid)) && ring.take(chunk, word)) {
            handle(chunk, worker);
        }
    }
}

std::vector<std::uint32_t> collector::living_processes() {
    const wire::ring& ring = ring_.ring();
    const std::uint32_t only = only_pid_.load(std::memory_order_relaxed);
    std::set<std::uint32_t> pids;
    {
        const std::lock_guard lock{mutex_};
        pids = pids_;
    }
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        if (const chunk_word word = ring.word(i);
            word.state == chunk_state::owned && (only == 0 || word.pid == only)) {
            pids.insert(word.pid);
        }
    }
    std::vector<std::uint32_t> living;
    for (const std::uint32_t pid : pids) {
        if (is_thread_alive(pid, 0)) {
            living.push_back(pid);
        }
    }
    // One that was forked a moment ago has written nothing yet.
    if (living.empty() && only == 0) {
        living = processes_with(ring_.variable());
    }
    return living;
}

void collector::finish() {
    stops_.store(true, std::memory_order_relaxed);
    for (std::thread& t : workers_) {
        t.join();
    }
    workers_.clear();
    worker_state worker;
    const wire::ring& ring = ring_.ring();
    ring.header().closed.store(1, std::memory_order_relaxed);
    take_full_chunks(worker);
    take_from_the_dead(worker);
    // Of living writers a copy of their events so far; the chunk stays theirs.
    std::set<std::uint32_t> copied;
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        if (copy_owned(ring, i, worker.copy)) {
            hand_on(worker.copy, worker);
            copied.insert(i);
        }
    }
    // What was full before they saw that it is over; not what is in the file already.
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        if (const chunk_word word = ring.word(i);
            word.state == chunk_state::full && !copied.contains(i) && ring.take(i, word)) {
            handle(i, worker);
        }
    }
    result_.dropped = ring.header().dropped.load(std::memory_order_relaxed);
    result_.cut_stacks = ring.header().cut_stacks.load(std::memory_order_relaxed);
}

} // namespace linn::tool
