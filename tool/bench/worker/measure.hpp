// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/ticks.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <semaphore>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace linn::tool::worker {

/// One timed phase of a scenario.
struct phase {
    std::string name;
    double cycles_per_operation = 0;
    double faults_per_operation = 0;                     ///< minor page faults
    std::vector<std::pair<std::string, double>> metrics; ///< what else the scenario promises of this phase
};

/// What a scenario hands back.
struct outcome {
    std::vector<phase> phases;
    std::size_t work_check = 0; ///< a number every contender must agree on, so that all did the same work
    std::string error;          ///< not empty: the contender computed something wrong
    double cpu_share = 1;       ///< of the helper thread that had the least of its CPU while it was measured

    /// This process waits for others, or its threads for a CPU: then its own share of a CPU says nothing of a disturbance.
    bool waits = false;
    std::uint64_t peak_rss_bytes = 0; ///< of the processes that did the work, the highest; 0: it was this one
};

/// Makes the pointer escape, so that no compiler may delete the allocation behind it.
inline void escape(const void* p) noexcept {
    asm volatile("" : : "g"(p) : "memory");
}

/// Takes a block and gives it back at once, again and again. `Source` has `void* take()` and `void give(void*)`.
template <class Source>
[[gnu::noinline]] void pair_loop(Source& source, std::size_t pairs) {
    for (std::size_t i = 0; i != pairs; ++i) {
        void* p = source.take();
        escape(p);
        source.give(p);
    }
}

/// Minor page faults of this process so far.
std::uint64_t page_faults() noexcept;

/// CPU time of the calling thread, in nanoseconds.
inline std::uint64_t cpu_ns() noexcept {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/// What a file of /proc says behind these words, which begin a line: "VmHWM:". In bytes; 0 where it does not. Allocates nothing.
std::uint64_t proc_bytes(const char* file, const char* words) noexcept;

/// Highest resident size of this process so far, in bytes; 0 where the kernel does not say.
/// (VmHWM, because ru_maxrss is inherited over exec and would show the parent's peak.)
inline std::uint64_t peak_rss_bytes() noexcept {
    return proc_bytes("/proc/self/status", "VmHWM:");
}

/// Pins the process to a CPU. "auto": stay where the kernel started us; "none": nowhere; or a number.
void pin(const std::string& cpu);

/// CPUs that the process might use before `pin`.
unsigned usable_cpus();

/// Moves the calling thread to a CPU of its own: 0 is the one of `pin`, others follow, those of other cores before
/// the second thread of a core. Does nothing when the process is not pinned or has no other CPU.
void pin_thread(unsigned index);

/// Lets the calling thread run on every CPU that the process might use before `pin`. Does nothing when it is not pinned.
void unpin_thread();

/// Measures ticks and page faults from its construction to `finish`.
class stopwatch {
public:
    stopwatch() noexcept : faults_{page_faults()}, start_{ticks()} {}

    phase finish(std::string name, std::size_t operations) const {
        const std::uint64_t end = ticks();
        const std::uint64_t faults = page_faults();
        const double count = operations == 0 ? 1.0 : static_cast<double>(operations);
        return {std::move(name),
                static_cast<double>(end - start_) / count,
                static_cast<double>(faults - faults_) / count,
                {}};
    }

private:
    std::uint64_t faults_;
    std::uint64_t start_; // last, so that reading the faults is not timed
};

/// The middle one of several passes, by its time. @pre there is one
inline phase median_pass(std::span<phase> passes) {
    std::sort(passes.begin(), passes.end(),
              [](const phase& a, const phase& b) { return a.cycles_per_operation < b.cycles_per_operation; });
    return passes[passes.size() / 2];
}

/// What one worker process is told to do. A worker does one thing once; repetition is the parent's.
struct options {
    std::size_t work = 100; ///< percent of the usual operations
    std::string container = "unordered_set";

    /// The operations to do where `full` are usual.
    std::size_t scaled(std::size_t full) const noexcept {
        return full * work < 100 ? 1 : full / 100 * work + full % 100 * work / 100;
    }

    /// The objects that live at once where the scenario asks for `full`. They are what it measures, so they are fewer only with
    /// less than a quarter of the work, which shows that all runs and measures nothing.
    std::size_t alive(std::size_t full) const noexcept {
        return work >= 25 ? full : full * work < 25 ? 1 : full / 25 * work + full % 25 * work / 25;
    }
};

/// One way of doing the work of a scenario, such as `make_shared` in shared-ptr.
struct variant {
    std::string_view scenario;
    std::string_view name; ///< as in tool/bench/scenario.cpp
    outcome (*run)(const options&);
};

/// A file has its variants by `const variants here{all};`; each worker knows those of the files that it is linked with, in a list
/// without memory of its own.
class variants {
public:
    explicit variants(std::span<const variant> here) noexcept : here_{here}, next_{first_} { first_ = this; }
    variants(const variants&) = delete;
    variants& operator=(const variants&) = delete;

    std::span<const variant> here() const noexcept { return here_; }
    const variants* next() const noexcept { return next_; }
    static const variants* first() noexcept { return first_; }

private:
    std::span<const variant> here_;
    const variants* next_;
    static inline const variants* first_ = nullptr; // constant, so before any list is made
};

/// A fixed array of zeros straight from the system, every page touched. The benchmark's own bookkeeping lives here, so that it
/// neither comes from the allocator under test nor costs page faults while the clock runs. With MAP_SHARED children of the process
/// write into it too.
template <class T>
    requires std::is_trivially_copyable_v<T> // zeros are an object, which no destructor ends
class mapped_array {
public:
    explicit mapped_array(std::size_t size, int sharing = MAP_PRIVATE) : size_{size} {
        void* p =
            ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        data_ = static_cast<T*>(p);
    }
    mapped_array(const mapped_array&) = delete;
    mapped_array& operator=(const mapped_array&) = delete;
    ~mapped_array() { ::munmap(data_, bytes()); }

    T& operator[](std::size_t i) noexcept { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    std::size_t size() const noexcept { return size_; }

private:
    std::size_t bytes() const noexcept { return (size_ == 0 ? 1 : size_) * sizeof(T); }

    T* data_ = nullptr;
    std::size_t size_;
};

/// The integers of the published `unordered_set` measurement: a default-seeded `std::mt19937` through a
/// `std::uniform_int_distribution<int>` over every value of `int`.
inline void fill_with_published_integers(mapped_array<int>& values) {
    std::mt19937 engine;
    std::uniform_int_distribution<int> any{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
    for (int& value : values) {
        value = any(engine);
    }
}

/// The standard allocator over a source of single objects, which has `take<T>()` and `give<T>(void*)`. Arrays are from
/// `std::allocator`.
template <class T, class Source>
struct source_allocator {
    using value_type = T;

    source_allocator() = default;
    template <class U>
    source_allocator(const source_allocator<U, Source>&) noexcept {}

    T* allocate(std::size_t n) {
        return n == 1 ? static_cast<T*>(Source::template take<T>()) : std::allocator<T>{}.allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept {
        if (n == 1) {
            Source::template give<T>(p);
        } else {
            std::allocator<T>{}.deallocate(p, n);
        }
    }

    friend bool operator==(const source_allocator&, const source_allocator&) noexcept { return true; }
};

/// Runs `work` in a process of its own and waits for it, so that it begins with no memory that other work left. A signal that
/// ends it ends this process too. @returns why it failed, also where the work returned false; empty when it did not
std::string run_apart(const std::function<bool()>& work);

/// Lets a waiting loop spin for a while and then offer the CPU to others, because two threads may share one.
class patience {
public:
    void wait() noexcept {
        if (++spins_ > 1'000) {
            ::sched_yield();
        }
#if defined(__x86_64__) || defined(__i386__)
        else {
            __builtin_ia32_pause();
        }
#endif
    }

private:
    unsigned spins_ = 0;
};

/// All threads leave `wait()` together, again and again.
class spin_barrier {
public:
    explicit spin_barrier(unsigned threads) noexcept : threads_{threads} {}

    void wait() noexcept {
        const unsigned turn = turn_.load(std::memory_order_relaxed);
        // acq_rel: what each thread did before is visible to all after.
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            turn_.store(turn + 1, std::memory_order_release);
            return;
        }
        for (patience p; turn_.load(std::memory_order_acquire) == turn;) {
            p.wait();
        }
    }

private:
    unsigned threads_;
    std::atomic<unsigned> arrived_{0};
    std::atomic<unsigned> turn_{0};
};

/// A second thread that only waits: the C library and `std::shared_ptr` then behave as in any program with threads.
inline std::jthread start_idle_thread() {
    return std::jthread{[](const std::stop_token& end) {
        std::binary_semaphore ended{0};
        const std::stop_callback note{end, [&] { ended.release(); }};
        ended.acquire();
    }};
}

/// The passes of a measurement; the figure is the median.
struct passes {
    std::size_t count = 5;
    bool warm_up = true; ///< one pass more, the first, that is not measured
};
/// One pass that nothing has warmed.
inline constexpr passes one_cold_pass{1, false};

/// What runs the passes of one thread of a team, given what one pass does with so many operations.
using run_passes = std::function<void(const std::function<void(std::size_t)>& body)>;

/// Calls `work` on `threads` threads at once, each on a CPU of its own; it calls what it is given once, which starts each pass on
/// all threads together. A pass has so many operations of each thread. Returns ticks an operation of a thread (the median of the
/// passes) and page faults an operation; `least_share` becomes the least share of its CPU that a helper had.
phase measure_team(std::string name, unsigned threads, std::size_t operations, passes how,
                   double& least_share, const std::function<void(const run_passes&)>& work);

/// Runs `make()(operations)` for each pass. `make` runs on its thread, so that a body may hold what belongs to the thread.
template <class Make>
phase measure_passes(std::string name, unsigned threads, std::size_t operations, double& least_share,
                     const Make& make, passes how = {}) {
    return measure_team(std::move(name), threads, operations, how, least_share, [&](const run_passes& run) {
        auto body = make();
        run([&](std::size_t n) { body(n); });
    });
}

/// The same as a phase of the result.
template <class Make>
void add_passes(outcome& result, std::string name, unsigned threads, std::size_t operations, const Make& make,
                passes how = {}) {
    result.phases.push_back(
        measure_passes(std::move(name), threads, operations, result.cpu_share, make, how));
}

} // namespace linn::tool::worker
