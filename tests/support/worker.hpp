// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_WORKER_HPP
#define LINN_TESTS_SUPPORT_WORKER_HPP

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace linn_test {

/// A thread that does what it is told, one job at a time, and keeps its caches between jobs.
class worker {
public:
    worker() : thread_{[this] { run(); }} {}
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker() {
        run_here(nullptr);
        thread_.join();
    }
    /// Runs `job` there and waits until it is done.
    void run_here(std::function<void()> job) {
        std::unique_lock<std::mutex> lock{mutex_};
        const bool last = job == nullptr;
        job_ = std::move(job);
        pending_ = true;
        changed_.notify_all();
        if (!last) {
            changed_.wait(lock, [this] { return !pending_; });
        }
    }

private:
    void run() {
        std::unique_lock<std::mutex> lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return pending_; });
            if (job_ == nullptr) {
                return;
            }
            job_();
            pending_ = false;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> job_;
    bool pending_ = false;
    std::thread thread_;
};

} // namespace linn_test

#endif
