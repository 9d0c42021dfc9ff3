// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_REGISTRY_HPP
#define LINN_DETAIL_SYNC_RESOURCE_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/policy.hpp>

#include <atomic>

namespace linn::inline LINN_ABI::detail {

/// All memory resources that live, for the sake of forks: nobody may be inside one while the process is
/// copied. Constant-initialised and never destroyed. @tparam Core linked through `next_`, `previous_`
template <class Core>
class resource_registry {
public:
    constexpr resource_registry() = default;
    resource_registry(const resource_registry&) = delete;
    resource_registry& operator=(const resource_registry&) = delete;

    void enter(Core& core) noexcept {
        // relaxed: the exchange alone decides who hooks
        if (!fork_hooked_.load(std::memory_order_relaxed) &&
            !fork_hooked_.exchange(true, std::memory_order_relaxed)) {
            at_fork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
        }
        lock_guard<mutex> guard{lock_};
        core.next_ = first_;
        if (first_ != nullptr) {
            first_->previous_ = &core;
        }
        first_ = &core;
    }

    void leave(Core& core) noexcept {
        lock_guard<mutex> guard{lock_};
        (core.previous_ != nullptr ? core.previous_->next_ : first_) = core.next_;
        if (core.next_ != nullptr) {
            core.next_->previous_ = core.previous_;
        }
    }

    /// Whether `is(resource)` holds for one of them; it may take locks of the resource.
    template <class Is>
    bool any(Is&& is) noexcept {
        lock_guard<mutex> guard{lock_};
        for (Core* r = first_; r != nullptr; r = r->next_) {
            if (is(*r)) {
                return true;
            }
        }
        return false;
    }

    static resource_registry& process() noexcept { return process_; }

private:
    /// Newest first: a resource comes before its upstream, as it does where one calls the other.
    static void before_fork() noexcept {
        process_.lock_.lock();
        for (Core* r = process_.first_; r != nullptr; r = r->next_) {
            r->lock_all();
        }
        ++inside_fork;
    }

    static void after_fork_in_parent() noexcept {
        --inside_fork;
        for (Core* r = process_.first_; r != nullptr; r = r->next_) {
            r->unlock_all([](auto& lock) { lock.unlock(); });
        }
        process_.lock_.unlock();
    }

    static void after_fork_in_child() noexcept {
        --inside_fork;
        for (Core* r = process_.first_; r != nullptr; r = r->next_) {
            r->forget_other_threads();
            r->unlock_all([](auto& lock) { lock.reset(); });
        }
        process_.lock_.reset();
    }

    mutex lock_;
    Core* first_ = nullptr;
    std::atomic<bool> fork_hooked_{false};

    static constinit resource_registry process_;
};

template <class Core>
constinit resource_registry<Core> resource_registry<Core>::process_{};

} // namespace linn::inline LINN_ABI::detail

#endif
