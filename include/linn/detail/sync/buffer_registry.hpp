// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BUFFER_REGISTRY_HPP
#define LINN_DETAIL_SYNC_BUFFER_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/buffer_store.hpp>

#include <atomic>

namespace linn::inline LINN_ABI::detail {

/// All buffer stores of a module. Each leaves it when it ends.
///
/// Order of locks: the registry's, then those of the stores. A store takes the registry's lock only
/// while it holds none.
template <class Policy>
class buffer_store<Policy>::registry {
public:
    constexpr registry() = default;
    registry(const registry&) = delete;
    registry& operator=(const registry&) = delete;

    static registry& process() noexcept { return process_; }

    void add(buffer_store* store) noexcept {
        // Only the process registry takes part in forks; tests make others.
        // relaxed: the exchange alone decides who hooks
        if (this == &process_ && !hooked_.exchange(true, std::memory_order_relaxed)) {
            at_fork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
        }
        buffer_lock<mutex_type> guard{lock_};
        store->older_ = newest_;
        if (newest_ != nullptr) {
            newest_->newer_ = store;
        }
        newest_ = store;
    }

    void remove(buffer_store* store) noexcept {
        buffer_lock<mutex_type> guard{lock_};
        (store->newer_ != nullptr ? store->newer_->older_ : newest_) = store->older_;
        if (store->older_ != nullptr) {
            store->older_->newer_ = store->newer_;
        }
    }

    /// For tests.
    [[nodiscard]] bool empty() noexcept {
        buffer_lock<mutex_type> guard{lock_};
        return newest_ == nullptr;
    }

private:
    /// Nobody may be inside a store while the process is copied: take every lock, in their order.
    static void before_fork() noexcept {
        process_.lock_.lock();
        for (buffer_store* s = process_.newest_; s != nullptr; s = s->older_) {
            s->lock_.lock();
        }
        inside_buffer_fork = true;
    }

    static void after_fork_in_parent() noexcept {
        inside_buffer_fork = false;
        for (buffer_store* s = process_.newest_; s != nullptr; s = s->older_) {
            s->lock_.unlock();
        }
        process_.lock_.unlock();
    }

    static void after_fork_in_child() noexcept {
        inside_buffer_fork = false;
        for (buffer_store* s = process_.newest_; s != nullptr; s = s->older_) {
            s->lock_.reset();
        }
        process_.lock_.reset();
    }

    mutex_type lock_;
    buffer_store* newest_ = nullptr;
    std::atomic<bool> hooked_{false};

    static constinit registry process_;
};

template <class Policy>
constinit typename buffer_store<Policy>::registry buffer_store<Policy>::registry::process_{};

} // namespace linn::inline LINN_ABI::detail

#endif
