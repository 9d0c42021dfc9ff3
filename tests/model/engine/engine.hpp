// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_MODEL_ENGINE_ENGINE_HPP
#define LINN_TESTS_MODEL_ENGINE_ENGINE_HPP

#include "../model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The explorer. Nothing here is instrumented, and nothing here knows Linn.
namespace model::engine {

inline constexpr unsigned most_threads = 5; ///< with number 0, which sets up and finishes
inline constexpr unsigned most_views = 96;  ///< atomics that are written in one execution
inline constexpr unsigned most_frames = 48;

/// Of each thread how far it is known: what happened before.
struct clocks {
    std::uint32_t at[most_threads] = {};

    void join(const clocks& other) noexcept {
        for (unsigned i = 0; i < most_threads; ++i) {
            at[i] = at[i] < other.at[i] ? other.at[i] : at[i];
        }
    }
};

/// Of each atomic the oldest value that may still be read.
struct view {
    std::array<std::uint16_t, most_views> at{};

    void join(const view& other) noexcept {
        for (unsigned i = 0; i < most_views; ++i) {
            at[i] = at[i] < other.at[i] ? other.at[i] : at[i];
        }
    }
};

/// What a thread does next.
struct operation {
    enum class kind : unsigned char {
        none,
        load,
        load_in_order,
        write,
        lock,
        try_lock,
        unlock,
        barrier,
        await
    };
    kind what = kind::none;
    const void* object = nullptr;
    std::uint32_t newer_than = 0; ///< of a load that spins
    const char* name = "";
    unsigned by = 0;     ///< the thread that does it
    unsigned target = 0; ///< of a barrier the thread that is made to execute it

    [[nodiscard]] bool depends_on(const operation& other) const noexcept;
    [[nodiscard]] bool excludes(const operation& other) const noexcept; ///< never possible at the same time
};

struct thread {
    unsigned id = 0;
    clocks seen;
    view floor;
    operation next;
    bool finished = false;
    bool woken = false;
    int last_step = -1;

    // The load that was the last operation, and how often it was repeated.
    const void* spin_object = nullptr;
    unsigned spin_line = 0;
    unsigned spin_count = 0;
    std::uint32_t spin_index = 0;

    const void* frames[most_frames] = {};
    unsigned depth = 0;
    std::uint64_t time = 0;
    std::vector<const void*> unlocked; ///< locks that a control took away

    void* stack_pointer = nullptr;
    std::byte* stack = nullptr;
    std::vector<std::byte> locals;
};

/// While one exists the engine allocates for itself: operator new is the system's.
struct own_memory {
    own_memory() noexcept { ++depth; }
    ~own_memory() { --depth; }
    own_memory(const own_memory&) = delete;
    own_memory& operator=(const own_memory&) = delete;
    static inline unsigned depth = 0;
};

/// Not memcpy, which the model takes for the program's.
inline void copy_bytes(void* to, const void* from, std::size_t n) noexcept {
    auto* t = static_cast<volatile std::byte*>(to);
    const auto* f = static_cast<const volatile std::byte*>(from);
    for (std::size_t i = 0; i < n; ++i) {
        t[i] = f[i];
    }
}

/// Null outside of an execution.
extern thread* current;
extern thread threads[most_threads];

// -- search.cpp -----------------------------------------------------------------------------------------

/// Stops before an operation until the search lets this thread go on.
void visit(const operation& o) noexcept;
/// One of `n` ways in which the operation may go.
unsigned choose(unsigned n) noexcept;
/// From now on operations on `object` are points of the schedule. What was explored without is void: this
/// does not return.
void becomes_visible(const void* object) noexcept;
[[nodiscard]] bool is_visible(const void* object) noexcept;

struct limits {
    std::uint64_t schedules = UINT64_MAX;
    unsigned steps = 5000;
};
struct outcome {
    std::uint64_t schedules = 0;
    std::uint64_t pruned = 0; ///< of them, those that others made redundant, and that were left early
    std::uint64_t longest = 0;
    unsigned points = 0; ///< objects whose operations are points of the schedule
    bool exhausted = false;
};
outcome explore(scenario& s, const limits& l);
void replay(scenario& s, const std::string& schedule);
[[nodiscard]] std::string schedule_so_far();

// -- orders.cpp -------------------------------------------------------------------------------------------

void reset_orders() noexcept;
[[nodiscard]] bool may_go(const thread& t) noexcept;
/// Thread 0 begins threads, or goes on when all have ended.
void order_after(thread& later, const thread& earlier) noexcept;

// -- shadow.cpp -------------------------------------------------------------------------------------------

void reset_shadow() noexcept;
void plain_access(const void* at, std::size_t bytes, bool write, const void* code) noexcept;
/// A name for an address that stays the same from run to run.
[[nodiscard]] std::string name_of_address(const void* p);
[[nodiscard]] const void* address_of_name(const std::string& name);
void restore_shared() noexcept;
void remember_shared() noexcept;

// -- sites.cpp --------------------------------------------------------------------------------------------

/// What is broken on purpose: "weaken <function>/<operation>", "unlock <function>", "barrier", or nothing.
void set_control(const std::string& name);
[[nodiscard]] std::memory_order order_at(const char* what, std::memory_order, const where&) noexcept;
[[nodiscard]] bool lock_is_removed() noexcept; ///< that the current thread is about to take
[[nodiscard]] bool barrier_is_removed() noexcept;
/// All sites at which a control could be placed that were passed so far.
[[nodiscard]] std::vector<std::string> sites();
[[nodiscard]] std::string function_at(const void* code);
[[nodiscard]] const char* short_name(const where& here);
void print_frames(const thread& t);
[[nodiscard]] bool control_was_used() noexcept;

// -- main.cpp ---------------------------------------------------------------------------------------------

extern bool expects_failure;
extern bool verbose;

} // namespace model::engine

#endif
