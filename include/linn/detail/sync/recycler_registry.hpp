// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_REGISTRY_HPP
#define LINN_DETAIL_SYNC_RECYCLER_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/thread_index.hpp>

#include <atomic>

namespace linn::inline LINN_ABI::detail {

template <class Policy>
class recycler_core;

/// The cores of all recyclers of a module, for forks.
///
/// Order of locks: the registry's, then those of the cores. A core takes the registry's lock only
/// while it holds none.
template <class Policy>
class recycler_registry {
public:
    using core = recycler_core<Policy>;

    constexpr recycler_registry() = default;
    recycler_registry(const recycler_registry&) = delete;
    recycler_registry& operator=(const recycler_registry&) = delete;

    static recycler_registry& process() noexcept { return process_; }

    void add(core& c) noexcept {
        // relaxed: the exchange alone decides who hooks
        if (!hooked_.exchange(true, std::memory_order_relaxed)) {
            at_fork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
        }
        const lock_guard<typename Policy::mutex> guard{lock_};
        c.older_ = newest_;
        if (newest_ != nullptr) {
            newest_->newer_ = &c;
        }
        newest_ = &c;
    }

    void remove(core& c) noexcept {
        const lock_guard<typename Policy::mutex> guard{lock_};
        (c.newer_ != nullptr ? c.newer_->older_ : newest_) = c.older_;
        if (c.older_ != nullptr) {
            c.older_->newer_ = c.newer_;
        }
    }

private:
    /// Nobody may be inside a core while the process is copied: take every lock, in their order.
    static void before_fork() noexcept {
        process_.lock_.lock();
        for (core* c = process_.newest_; c != nullptr; c = c->older_) {
            c->lock_.lock();
        }
        ++inside_fork;
    }

    static void after_fork_in_parent() noexcept {
        --inside_fork;
        for (core* c = process_.newest_; c != nullptr; c = c->older_) {
            c->lock_.unlock();
        }
        process_.lock_.unlock();
    }

    static void after_fork_in_child() noexcept {
        --inside_fork;
        for (core* c = process_.newest_; c != nullptr; c = c->older_) {
            c->forget_fronts_but(this_thread_index<Policy>);
            c->lock_.reset();
        }
        process_.lock_.reset();
    }

    typename Policy::mutex lock_;
    core* newest_ = nullptr;
    typename Policy::template atomic<bool> hooked_{false};

    static constinit recycler_registry process_;
};

template <class Policy>
constinit recycler_registry<Policy> recycler_registry<Policy>::process_{};

} // namespace linn::inline LINN_ABI::detail

#endif
