// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

namespace linn::bench::saturation {

/// One visit: the thread works for `think_ns` with no lock, then holds the lock of that number for `held_ns`.
struct visit {
    std::size_t lock;
    double think_ns;
    double held_ns;
};

/// What threads did, each a sequence of visits.
using recording = std::vector<std::vector<visit>>;

/// What is assumed of a machine with as many cores as threads.
struct machine {
    double hand_over_ns = 0; ///< that a lock costs more when another thread had it last: its line travels
};

struct estimate {
    double speed = 0;   ///< work done by time, as a multiple of what one thread does alone
    double busiest = 0; ///< share of the time that the busiest lock is held, hand-overs included
    double waited = 0;  ///< share of all threads' time that they wait
};

/// What a visit takes in the mean, with the work before it.
inline double mean_visit_ns(const recording& recorded) {
    double sum = 0;
    std::size_t visits = 0;
    for (const auto& sequence : recorded) {
        for (const visit& v : sequence) {
            sum += v.think_ns + v.held_ns;
        }
        visits += sequence.size();
    }
    return visits == 0 ? 0 : sum / static_cast<double>(visits);
}

/// Plays `threads` threads that do what the recorded ones did: thread i what that of number i modulo their count did, each
/// beginning at another place of it, and from the front again at its end. It ends when a thread alone would have made
/// `visits` visits.
///
/// Every thread has a core for itself and is never interrupted. A lock is given in the order of arrival, of two at once to
/// the lower number. Work and holding take as long as they were recorded, whatever the others do: lines that
/// more threads fight for, memory that all wait for, and the way a program changes by waiting are not in it. So what comes
/// out is an upper bound, by the locks alone. The same input gives the same result on every machine.
/// @pre the recording has a visit in each of its sequences
inline estimate simulate(const recording& recorded, std::size_t threads, std::size_t visits,
                         const machine& m) {
    constexpr std::size_t nobody = static_cast<std::size_t>(-1);
    struct lock_state {
        double free_at = 0;
        double busy = 0;
        std::size_t last = nobody;
    };
    std::size_t locks = 1;
    for (const auto& sequence : recorded) {
        for (const visit& v : sequence) {
            locks = std::max(locks, v.lock + 1);
        }
    }
    std::vector<lock_state> all(locks);

    const auto visit_of = [&](std::size_t thread, std::size_t done) -> const visit& {
        const auto& sequence = recorded[thread % recorded.size()];
        // Threads that replay one sequence begin a golden section of it apart.
        const double start = 0.6180339887498949 * static_cast<double>(thread / recorded.size());
        const auto offset =
            static_cast<std::size_t>((start - static_cast<double>(static_cast<std::size_t>(start))) *
                                     static_cast<double>(sequence.size()));
        return sequence[(offset + done) % sequence.size()];
    };

    // By arrival: the thread that is first at its lock, of all that there are, is served next. That keeps the order of each
    // lock, because a thread that arrives later cannot be served earlier.
    using arrival = std::tuple<double, std::size_t>; // when, thread
    std::priority_queue<arrival, std::vector<arrival>, std::greater<>> arrivals;
    std::vector<std::size_t> done(threads, 0);
    for (std::size_t t = 0; t != threads; ++t) {
        arrivals.emplace(visit_of(t, 0).think_ns, t);
    }
    const double end = mean_visit_ns(recorded) * static_cast<double>(visits);
    double alone = 0; // what the visits that were made would take with nobody else
    double waited = 0;
    while (!arrivals.empty() && std::get<0>(arrivals.top()) < end) {
        const auto [now, thread] = arrivals.top();
        arrivals.pop();
        const visit& v = visit_of(thread, done[thread]++);
        lock_state& lock = all[v.lock];
        const double begin = std::max(now, lock.free_at);
        const bool travels = lock.last != thread && lock.last != nobody;
        const double held = v.held_ns + (travels ? m.hand_over_ns : 0);
        waited += std::min(begin, end) - now;
        lock = {begin + held, lock.busy, thread};
        if (lock.free_at <= end) { // else it is the last visit of the thread, and half of it is no visit
            lock.busy += held;
            alone += v.think_ns + v.held_ns;
            arrivals.emplace(lock.free_at + visit_of(thread, done[thread]).think_ns, thread);
        }
    }
    estimate e;
    if (end > 0) {
        e.speed = alone / end;
        for (const lock_state& lock : all) {
            e.busiest = std::max(e.busiest, lock.busy / end);
        }
        e.waited = waited / (end * static_cast<double>(threads));
    }
    return e;
}

} // namespace linn::bench::saturation
