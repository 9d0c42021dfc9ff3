// SPDX-License-Identifier: Apache-2.0
#include "collector.hpp"

#include "../measure/files.hpp"
#include "../measure/ticks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t fewest_chunks = 64;

/// How many chunks a limit on linn's own addresses leaves room for: the rest is for what else linn does.
std::size_t allowed_chunks(std::size_t wanted) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        wanted = std::min<std::size_t>(wanted, limit.rlim_cur / 4 / wire::chunk_bytes);
    }
    return std::max(wanted, fewest_chunks);
}

/// The limit on the size of files is meant for the trace: lifted as far as possible while the shared memory is made.
class lifted_file_limit {
public:
    lifted_file_limit() {
        if (::getrlimit(RLIMIT_FSIZE, &old_) != 0 || old_.rlim_cur == old_.rlim_max) {
            return;
        }
        const rlimit most{old_.rlim_max, old_.rlim_max};
        is_lifted_ = ::setrlimit(RLIMIT_FSIZE, &most) == 0;
    }
    lifted_file_limit(const lifted_file_limit&) = delete;
    lifted_file_limit& operator=(const lifted_file_limit&) = delete;
    ~lifted_file_limit() {
        if (is_lifted_) {
            ::setrlimit(RLIMIT_FSIZE, &old_);
        }
    }

private:
    rlimit old_{};
    bool is_lifted_ = false;
};

using wire::chunk_state;
using wire::chunk_word;
using clock = std::chrono::steady_clock;

/// How long a worker sleeps when nothing wakes it.
constexpr unsigned nap_ms = 50;
/// How often the owners of chunks are looked at: reading /proc for a thousand of them takes milliseconds.
constexpr std::chrono::milliseconds between_looks{250};
/// Chunks from this one on are in use only after a crowd; their memory is given back.
constexpr std::uint32_t warm_chunks = 512;

wire::chunk_header header_of(const unsigned char* chunk) {
    wire::chunk_header header;
    std::memcpy(&header, chunk, sizeof header);
    return header;
}

/// The processes that were started with NAME=value in their environment, or forked from one that was. One that has just
/// been forked or has just executed another program is among them, before it has done anything.
std::vector<std::uint32_t> processes_with(const std::string& name_and_value) {
    std::vector<std::uint32_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at{"/proc", error}, end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        const auto pid = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
        // Others' cannot be read, a zombie's is empty.
        if (pid != 0 && std::ranges::count(strings_of(read_file(at->path() / "environ").value_or("")),
                                           name_and_value) != 0) {
            found.push_back(pid);
        }
    }
    return found;
}

/// Whether a thread still runs; a zombie does not. `tid` may be 0: then any thread of the process.
bool is_thread_alive(std::uint32_t pid, std::uint32_t tid) {
    const std::vector<std::string> stat = stat_of(static_cast<pid_t>(pid), static_cast<pid_t>(tid));
    return stat.empty() ? errno != ENOENT && errno != ESRCH : stat.front() != "Z" && stat.front() != "X";
}

} // namespace

ring_file::~ring_file() {
    if (memory_ != nullptr) {
        ::munmap(memory_, bytes_);
    }
}

std::string ring_file::create(std::size_t chunks, const wire::ring_options& options) {
    const auto failed = [](const char* what) {
        return fmt::format("no memory to share with the program: {}: {}", what, std::strerror(errno));
    };
    file_ = owned_fd{::memfd_create("linn-record", MFD_CLOEXEC)};
    if (!file_) {
        return failed("memfd_create");
    }
    const lifted_file_limit lifted;
    for (std::size_t count = allowed_chunks(chunks); count >= fewest_chunks; count /= 2) {
        const std::size_t bytes = wire::ring::file_bytes(static_cast<std::uint32_t>(count));
        if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) == 0 && map(bytes)) {
            ring_ = wire::ring::create(memory_, static_cast<std::uint32_t>(count), options);
            ring_.header().collector_pid = static_cast<std::uint32_t>(::getpid());
            return {};
        }
    }
    return failed("its size");
}

std::string ring_file::adopt(int fd) {
    file_ = owned_fd{fd};
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0 || !map(static_cast<std::size_t>(status.st_size))) {
        return fmt::format("no memory to share with the program: {}", std::strerror(errno));
    }
    ring_ = wire::ring{memory_};
    ring_.header().collector_pid = static_cast<std::uint32_t>(::getpid());
    return {};
}

bool ring_file::map(std::size_t bytes) {
    bytes_ = bytes;
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    memory_ = memory != MAP_FAILED ? memory : nullptr;
    return memory_ != nullptr;
}

std::string ring_file::variable() const {
    return fmt::format("{}=/proc/{}/fd/{}", wire::ring_variable, ::getpid(), file_.get());
}

void ring_file::punch(std::uint32_t chunk) const noexcept {
    if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(ring_.offset_of(chunk)), static_cast<off_t>(wire::chunk_bytes)) != 0) {
        std::memset(ring_.chunk(chunk), 0, wire::chunk_bytes);
    }
}

bool copy_owned(const wire::ring& ring, std::uint32_t i, std::vector<unsigned char>& copy) {
    const wire::chunk_word word = ring.word(i);
    if (word.state != wire::chunk_state::owned) {
        return false;
    }
    copy.resize(wire::chunk_bytes);
    // Upwards, a word at a time: the owner, who may be writing, writes an entry's tag last, so an entry whose tag is in the copy is
    // there as a whole.
    const unsigned char* const from = ring.chunk(i);
    for (std::size_t at = 0; at != copy.size(); at += 8) {
        // Pairs with the order in which the encoder writes an entry.
        const std::uint64_t eight =
            __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from + at), __ATOMIC_ACQUIRE);
        std::memcpy(&copy[at], &eight, sizeof eight);
    }
    return ring.word(i).pack() == word.pack();
}

void collector::stop() {
    for (std::jthread& t : workers_) {
        t.request_stop();
    }
    workers_.clear(); // joins them
}

void collector::start(unsigned workers) {
    for (unsigned i = 0; i != workers; ++i) {
        workers_.emplace_back([this, i](const std::stop_token& stop) { work(stop, i == 0); });
    }
}

void collector::work(const std::stop_token& stop, bool looks_after_the_dead) {
    worker_state worker;
    clock::time_point looked = clock::now();
    while (!stop.stop_requested()) {
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
    const bool is_left_out = only_pid_ != 0 && header_of(chunk.data()).pid != only_pid_;
    chunk_frame frame = frame_of_chunk(chunk);
    const bool is_wanted = !frame.payload.empty() && !is_left_out;
    std::span<const unsigned char> stored;
    if (is_wanted && trace_ != nullptr) {
        stored = worker.compressor.compress(frame.payload, trace_writer::compression_level, frame.header);
    }
    const std::lock_guard lock{mutex_};
    if (!stored.empty()) {
        trace_->write_chunk(frame.header, stored);
    }
    const bool is_lost = trace_ != nullptr && !trace_->problem().empty();
    if (is_lost) {
        ring_.ring().header().closed.store(1, std::memory_order_relaxed);
        result_.stopped_ns = result_.stopped_ns != 0 ? result_.stopped_ns : now_ns();
    }
    if (frame.damage != nullptr && !frame.payload.empty()) {
        ++result_.damaged_chunks;
    }
    if (!is_wanted) {
        return;
    }
    if (is_lost) {
        result_.unwritten += frame.header.events;
        return;
    }
    result_.events += frame.header.events;
    result_.images.insert(frame.header.image);
    result_.threads.insert(frame.header.thread);
    pids_.insert(frame.header.pid);
}

bool collector::take_full_chunks(worker_state& worker, const std::set<std::uint32_t>& left_out) {
    const wire::ring& ring = ring_.ring();
    bool found = false;
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        const chunk_word word = ring.word(i);
        if (word.state == chunk_state::full && !left_out.contains(i) && ring.take(i, word)) {
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
        newest = std::max(newest, header_of(ring.chunk(i)).image);
    }
    for (const auto& [chunk, word] : owned) {
        const std::uint32_t image = header_of(ring.chunk(chunk)).image;
        const bool is_outlived = image != 0 && image < newest_image[word.pid];
        if ((is_outlived || !is_thread_alive(word.pid, word.tid)) && ring.take(chunk, word)) {
            handle(chunk, worker);
        }
    }
}

std::vector<std::uint32_t> collector::living_processes() {
    const wire::ring& ring = ring_.ring();
    std::set<std::uint32_t> pids;
    {
        const std::lock_guard lock{mutex_};
        pids = pids_;
    }
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        if (const chunk_word word = ring.word(i);
            word.state == chunk_state::owned && (only_pid_ == 0 || word.pid == only_pid_)) {
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
    if (living.empty() && only_pid_ == 0) {
        living = processes_with(ring_.variable());
    }
    return living;
}

std::string collector::problem() {
    const std::lock_guard lock{mutex_};
    return trace_ == nullptr ? std::string{} : trace_->problem();
}

void collector::finish() {
    stop();
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
    take_full_chunks(worker, copied);
    result_.dropped = ring.header().dropped.load(std::memory_order_relaxed);
    result_.cut_stacks = ring.header().cut_stacks.load(std::memory_order_relaxed);
}

} // namespace linn::tool
