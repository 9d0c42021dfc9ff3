// SPDX-License-Identifier: Apache-2.0
// Promise: allocation and free work inside destructors of thread-specific data (pthread_key_create),
// which run after those of thread_local objects, even when the thread first uses a pool there; what
// such a thread caches comes back, and statistics() never looks at caches of threads that are gone.
//
// Breaks when caches are flushed only by a thread_local destructor: it would be registered too late
// to run, the depot would keep a pointer into the dead thread's memory, and its cached objects would
// be lost. 10 000 such threads make either visible; each scenario counts its destructor calls.
#include "process.hpp"

#include <linn/linn.hpp>

#include <pthread.h>

namespace {

struct item {
    long words[4];
};
struct other {
    long words[9];
};

std::atomic<std::size_t> calls{0};

template <class T>
void work() {
    T* objects[40];
    for (T*& object : objects) {
        object = linn::pool<T>::create();
    }
    for (T* object : objects) {
        linn::pool<T>::destroy(object);
    }
}

pthread_key_t key;
int late_rounds = 0;

/// Puts itself off to later rounds.
void at_thread_end(void* value) {
    const auto round = reinterpret_cast<std::uintptr_t>(value);
    if (static_cast<int>(round) <= late_rounds) {
        pthread_setspecific(key, reinterpret_cast<void*>(round + 1));
        return;
    }
    work<item>();
    work<other>();
    calls.fetch_add(1);
}

bool use_before = false;

void* thread_main(void*) {
    pthread_setspecific(key, reinterpret_cast<void*>(std::uintptr_t{1}));
    if (use_before) {
        work<item>();
    }
    return nullptr;
}

void run_threads(std::size_t count) {
    calls.store(0);
    constexpr std::size_t at_once = 8;
    for (std::size_t done = 0; done < count; done += at_once) {
        pthread_t threads[at_once];
        for (pthread_t& t : threads) {
            CHECK(pthread_create(&t, nullptr, &thread_main, nullptr) == 0);
        }
        for (pthread_t t : threads) {
            CHECK(pthread_join(t, nullptr) == 0);
        }
    }
    CHECK(calls.load() >= count);
}

void check_nothing_left(bool flushed) {
    for (const auto& s : linn::statistics()) {
        CHECK(s.live == 0);
        if (flushed) {
            CHECK(s.threads == 0);
        }
        if (linn_test::in_slabs()) {
            CHECK_AT_MOST(s.resident_bytes, 3 * linn_test::mib);
        }
    }
}

} // namespace

int main() {
    // Before any other key exists, and, in the second half, after those of the pools do.
    for (const bool key_first : {true, false}) {
        const auto child = linn_test::run_child([key_first] {
            if (!key_first) {
                work<item>();
            }
            CHECK(pthread_key_create(&key, &at_thread_end) == 0);
            const std::size_t many = linn_test::scaled(10'000);
            run_threads(many);
            if (key_first) {
                check_nothing_left(true);
            } else {
                CHECK_AT_MOST(linn::pool<item>::statistics().threads, 1); // this one
            }
            use_before = true;
            run_threads(many);
            CHECK_AT_MOST(linn::pool<item>::statistics().threads, 1);
            CHECK(linn::pool<item>::statistics().live == 0);
            // Later rounds. Not the fourth: it is the last that POSIX promises, so nothing of ours
            // would run afterwards (and ThreadSanitizer is gone by the time of that flush).
            use_before = false;
            for (late_rounds = 1; late_rounds <= (linn_test::tsan ? 1 : 2); ++late_rounds) {
                run_threads(200);
                for (int i = 0; i < 100; ++i) {
                    CHECK_AT_MOST(linn::pool<item>::statistics().threads, key_first ? 0 : 1);
                    CHECK_AT_MOST(linn::pool<other>::statistics().threads, 0);
                }
                CHECK(linn::pool<item>::statistics().live == 0);
            }
            check_nothing_left(false);
        });
        child.expect_success(key_first ? "key made before the pools" : "key made after the pools");
    }
}
