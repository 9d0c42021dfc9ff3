// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace linn::tool::pools {

/// What start-up learned, for the statistics.
struct facts {
    const char* plan = nullptr; ///< the file; null: none
    const char* mode = "on";
    const char* problem = nullptr; ///< why nothing is pooled at all
};
[[gnu::visibility("hidden")]] extern facts about;

/// @param pattern LINN_POOLS_STATS: `%p` in it is the process id; null: nothing is written
void keep_statistics_in(const char* pattern) noexcept;
/// Has them written when a signal arrives too. False when the name is none, or the program handles it already.
bool write_statistics_at(const char* signal_name) noexcept;

/// Writes them now: a file that appears whole or not at all.
void write_statistics() noexcept;

/// In the child of a fork, where another thread may have been at it.
void forget_writing_of_parent() noexcept;

[[gnu::visibility("hidden")]] extern std::atomic<bool> statistics_wanted;
inline bool are_statistics_wanted() noexcept {
    return statistics_wanted.load(std::memory_order_relaxed);
}
/// After a signal that found its thread on a slow path.
void write_wanted_statistics() noexcept;

/// One line on standard error. Allocates nothing, and keeps errno.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

} // namespace linn::tool::pools
