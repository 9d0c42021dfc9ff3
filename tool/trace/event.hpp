// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

// Events, and what is known of the time that their calls of the real allocator took. Free of everything that a program without a
// C++ runtime does not have.
namespace linn::tool {

/// A longer call of no known page fault is rare, so that the long ones are those with page faults or system calls.
inline constexpr std::uint32_t long_call_ticks = 1000;

/// What one real call took, of the random sample that is timed.
struct call_timing {
    std::uint32_t ticks = 0;  ///< of the time stamp counter, less what reading it took
    std::uint16_t weight = 0; ///< calls that it stands for; 0: it was not timed
    bool is_fenced = false;   ///< the reading waited for the call's last instruction

    bool is_long() const noexcept { return ticks >= long_call_ticks; }
};

/// Sums over the sample, over all threads and processes. A reading without a fence may come before the call has ended, and one with
/// a fence makes the processor wait for what it would have done meanwhile: so half of the calls are timed with either.
struct call_times {
    double samples = 0;      ///< calls that were timed
    double left_out = 0;     ///< of these: the thread lost its processor during the call
    double backwards = 0;    ///< of these: the counter went back
    double plain_calls = 0;  ///< that the samples without a fence stand for
    double plain_ticks = 0;  ///< that these took, with the readings
    double fenced_calls = 0; ///< that the samples with a fence stand for
    double fenced_ticks = 0;
    double nothing_plain = 0; ///< samples of a call that does nothing, without a fence
    double nothing_plain_ticks = 0;
    double nothing_fenced = 0; ///< with a fence
    double nothing_fenced_ticks = 0;
    double squares = 0;       ///< sum of the squares of the ticks that each sample adds
    double waiting_ticks = 0; ///< that calls took in which the thread slept, for a lock
    double long_calls = 0;    ///< that long samples stand for
    double looked_short = 0;  ///< samples whose page faults were counted, and that were not long
    double looked_long = 0;   ///< that were long
    double faults_short = 0;  ///< page faults in `looked_short`
    double faults_long = 0;   ///< page faults in `looked_long`
    double fault_ticks = 0;   ///< that those of `looked_long` took which had a page fault
    double faults_before = 0; ///< page faults of the processes before their first instruction of main
};

/// To add all of the above.
using call_time_sums = std::array<double, sizeof(call_times) / sizeof(double)>;

/// Whether the time stamp counter can be trusted, as the recorder finds out before the program starts.
enum class counter_state : std::uint8_t {
    unknown, ///< nothing was timed
    steady,
    not_constant, ///< its rate changes with the processor's, or the processors differ
};

/// Which function of the program asked. The values are those of the trace format: docs/reference/trace.md.
enum class allocation_call : std::uint8_t {
    none = 0,
    malloc = 1,
    calloc = 2,
    realloc = 3,
    aligned = 4, ///< posix_memalign, aligned_alloc, memalign, valloc, pvalloc
    operator_new = 5,
    operator_new_array = 6,
    operator_new_aligned = 7,
    operator_new_array_aligned = 8,
    free = 9,
    operator_delete = 10,
    operator_delete_array = 11,
};

/// What happened.
enum class event_kind : std::uint8_t {
    allocation,
    release,      ///< of a block; releases of null are not recorded
    reallocation, ///< `old_address` became `address`; both may be equal
    failure,      ///< the allocator returned null or threw; nothing changed
};

/// One event of a trace, decoded.
struct event {
    event_kind kind = event_kind::allocation;
    allocation_call call = allocation_call::none;
    std::uint8_t alignment_log2 = 0; ///< asked for; 0: the default
    std::uint32_t process = 0;       ///< index of `trace_info::processes`
    std::uint32_t thread = 0;        ///< index of `trace_info::threads`
    std::uint32_t stack = 0;         ///< index of `trace_info::stacks`; 0 is the empty stack
    std::uint64_t time = 0;          ///< nanoseconds since the recording began
    std::uint64_t address = 0;
    std::uint64_t old_address = 0;   ///< of a reallocation
    std::uint64_t bytes = 0;         ///< asked for; 0 for a release
    call_timing timing = {};         ///< of an allocation or a reallocation
    call_timing release_timing = {}; ///< of the release that this thread made last
};

} // namespace linn::tool

// Sampling by bytes: the recorder takes a block where a Poisson process along the allocated bytes has a point in it, so with
// the chance 1 - exp(-bytes / mean). The readers give each block the weight 1 / chance, which makes every sum unbiased.
namespace linn::tool::sampling {

/// The largest mean distance between two points, in bytes.
inline constexpr std::uint64_t most_mean = std::uint64_t{1} << 40;

/// What a block of a trace counts as. The recorder takes none without bytes.
constexpr std::uint64_t counted_bytes(std::uint64_t bytes) noexcept {
    return bytes == 0 ? 1 : bytes;
}

/// The natural logarithm, to 10 digits; without the C library's. @pre 0 < x, and it is no denormal number
constexpr double log_of(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xf'ffff'ffff'ffffu) | std::uint64_t{1023} << 52); // [1, 2)
    if (m > 1.414213562373095) {
        m /= 2;
        ++exponent;
    }
    const double s = (m - 1) / (m + 1);
    const double q = s * s;
    const double series = 1 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q / 11))));
    return 2 * s * series + exponent * 0.693147180559945309;
}

/// Where the points lie, for one thread. All zero at first.
struct byte_sampler {
    /// Bytes up to the next point, which lies in the block that asks for as many; 0: hold().
    std::uint64_t left;
    std::uint64_t random; ///< state of the generator; 0: not seeded
    std::uint64_t kept;   ///< `left`, while it is held

    /// Goes over the bytes of a block; false if a point lies in them, and then nothing has changed.
    [[gnu::always_inline]] bool passes(std::uint64_t bytes) noexcept {
#if defined(__x86_64__)
        // Two instructions with the jump; compilers make five of it.
        bool is_above = false;
        asm("subq %[bytes], %[left]" : [left] "+m"(left), "=@cca"(is_above) : [bytes] "r"(bytes));
        if (is_above) [[likely]] {
            return true;
        }
        left += bytes;
        return false;
#else
        if (left > bytes) [[likely]] {
            left -= bytes;
            return true;
        }
        return false;
#endif
    }
    /// A block that passed is not one after all.
    void take_back(std::uint64_t bytes) noexcept { left += bytes; }
    /// The next block of any size does not pass: let_go() and passes() then tell whether a point lies in it. @pre seeded
    void hold() noexcept {
        kept = is_held() ? kept : left;
        left = 0;
    }
    bool is_held() const noexcept { return left == 0 && random != 0; }
    void let_go() noexcept { left = kept; } ///< @pre is_held()
    /// For good: passes() is true from now on.
    void stop() noexcept { left = std::uint64_t{1} << 62; }

    void seed(std::uint64_t with) noexcept { random = (with * 0x9e37'79b9'7f4a'7c15u) | 1; }
    /// A new point. The process has no memory, so it does not matter how far the last one was overrun.
    void draw(double mean) noexcept {
        random ^= random << 13; // Marsaglia's xorshift
        random ^= random >> 7;
        random ^= random << 17;
        // In (0, 1]; the lowest bits of the generator are its worst.
        const double uniform = static_cast<double>((random >> 11) + 1) * 0x1p-53;
        left = static_cast<std::uint64_t>(-log_of(uniform) * mean) + 1;
    }
};

} // namespace linn::tool::sampling
