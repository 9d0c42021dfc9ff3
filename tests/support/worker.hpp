// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_WORKER_HPP
#define LINN_TESTS_SUPPORT_WORKER_HPP

#include <functional>
#include <semaphore>
#include <thread>

namespace linn_test {

/// A thread that does what it is told, one job at a time, and keeps its caches between jobs.
class worker {
public:
    worker() = default;
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker() {
        job_ = nullptr;
        begin_.release();
        thread_.join();
    }
    /// Runs `job` there and waits until it is done.
    void run_here(const std::function<void()>& job) {
        job_ = &job;
        begin_.release();
        done_.acquire();
    }

private:
    const std::function<void()>* job_ = nullptr;
    std::binary_semaphore begin_{0};
    std::binary_semaphore done_{0};
    std::thread thread_{[this] {
        for (begin_.acquire(); job_ != nullptr; begin_.acquire()) {
            (*job_)();
            done_.release();
        }
    }};
};

} // namespace linn_test

#endif
