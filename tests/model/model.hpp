// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_MODEL_MODEL_HPP
#define LINN_TESTS_MODEL_MODEL_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

/// The model as the code under test sees it: an atomic, a lock, pages, a clock, and the system calls that
/// wait. Each call is a point at which another thread may go on; see docs/design/interleavings.md.
namespace model {

using word = std::uint64_t;
using where = std::source_location;

// -- what the policy's types are made of; engine/*.cpp --------------------------------------------------

void atomic_construct(const void* at, word value) noexcept;
word atomic_load(const void* at, std::size_t bytes, std::memory_order, const where&) noexcept;
void atomic_store(void* at, std::size_t bytes, word value, std::memory_order, const where&) noexcept;

enum class change : unsigned char { exchange, add, subtract };
/// @returns the value before
word atomic_update(void* at, std::size_t bytes, change, word operand, std::memory_order,
                   const where&) noexcept;
bool atomic_compare_exchange(void* at, std::size_t bytes, word& expected, word desired,
                             std::memory_order success, std::memory_order failure, const where&) noexcept;

/// Sleeps while the word is `expected`.
void futex_wait(const void* at, std::uint32_t expected) noexcept;
void futex_wake_one(const void* at) noexcept;
/// A full barrier in every thread, as membarrier(2) makes it.
void barrier_of_all_threads() noexcept;

/// @param waits whether it waits instead of failing: fewer schedules, for where nothing depends on it
bool mutex_try_lock(void* at, bool waits) noexcept;
void mutex_lock(void* at) noexcept;
void mutex_unlock(void* at) noexcept;

/// Zeroed memory that is not given out twice in one execution. Use after `memory_put` is an error.
void* memory_get(std::size_t bytes, std::size_t align) noexcept;
void memory_put(void* p, std::size_t bytes) noexcept;
/// As a plain write of all of it would be.
void memory_clear(void* p, std::size_t bytes) noexcept;
[[nodiscard]] bool in_memory(const void* p) noexcept;

// -- for scenarios ---------------------------------------------------------------------------------------

/// The execution is wrong: prints why, the stack and the schedule, and ends the program.
[[noreturn]] void fail(const char* why) noexcept;
inline void check(bool good, const char* promise) noexcept {
    if (!good) {
        fail(promise);
    }
}

/// Says that a global object is shared: it is watched for races, and each execution finds it as it was
/// when the program started.
void share(void* object, std::size_t bytes) noexcept;
/// Says that a thread_local object differs from thread to thread of a scenario. It starts as it is now.
void make_local(void* object, std::size_t bytes) noexcept;

/// Threads of the scenario that runs.
[[nodiscard]] unsigned thread_count() noexcept;

struct scenario {
    const char* name;
    unsigned threads;
    bool nightly; ///< has too many schedules for every day
    void (*setup)();
    void (*run)(unsigned thread);
    void (*finish)();
    void (*conclude)(); ///< after the last execution; may be null
    scenario* next;
};
void enter(scenario& s) noexcept;

/// Makes a class a scenario. Its object is made before each execution, `run(thread)` is called by each
/// thread, 0 upwards, and `finish()` when all are done. A static `conclude()` is called after the last execution.
template <class State>
class registration {
public:
    registration(const char* name, unsigned threads, bool nightly = false) noexcept
        : entry_{name, threads, nightly, &setup, &run, &finish, nullptr, nullptr} {
        if constexpr (requires { State::conclude(); }) {
            entry_.conclude = &State::conclude;
        }
        enter(entry_);
    }

private:
    static inline State* state = nullptr;

    static void setup() { state = ::new (memory_get(sizeof(State), alignof(State))) State{}; }
    static void run(unsigned thread) { state->run(thread); }
    static void finish() { state->finish(); }

    scenario entry_;
};

} // namespace model

#endif
