// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_REGISTRY_HPP
#define LINN_DETAIL_SYNC_RESOURCE_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/policy.hpp>

#include <atomic>
#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// All memory resources that live, for the sake of forks: nobody may be inside one while the process is
/// copied; and the small chunks that those which are gone left behind. Constant-initialised and never destroyed. @tparam Core linked through `next_`, `previous_`
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

    // -- chunks of the system that nobody uses -----------------------------------------------------

    /// A chunk of that size and alignment that a resource left; null when there is none. Not zeroed.
    void* take_spare(std::size_t bytes, std::size_t align) noexcept {
        lock_guard<mutex> guard{lock_};
        for (std::size_t i = spares_; i-- != 0;) {
            if (spare_[i].bytes == bytes && spare_[i].align == align) {
                void* p = spare_[i].memory;
                spare_[i] = spare_[--spares_];
                return p;
            }
        }
        return nullptr;
    }

    /// Keeps a small chunk for the next resource; false when it is large, or enough are kept. A resource that
    /// lives for one container then costs no system call and no page fault.
    bool keep_spare(void* memory, std::size_t bytes, std::size_t align) noexcept {
        lock_guard<mutex> guard{lock_};
        if (bytes > largest_spare_bytes || spares_ == most_spares) {
            return false;
        }
        spare_[spares_++] = {memory, bytes, align};
        return true;
    }

    /// Hands all of them to `put(memory, bytes, align)`, one at a time, with no lock held.
    template <class Put>
    void drop_spares(Put&& put) noexcept {
        for (;;) {
            spare_chunk s{};
            {
                lock_guard<mutex> guard{lock_};
                if (spares_ == 0) {
                    return;
                }
                s = spare_[--spares_];
            }
            put(s.memory, s.bytes, s.align);
        }
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

    struct spare_chunk {
        void* memory = nullptr;
        std::size_t bytes = 0;
        std::size_t align = 0;
    };
    static constexpr std::size_t most_spares = 16;
    static constexpr std::size_t largest_spare_bytes = std::size_t{64} << 10;

    mutex lock_;
    Core* first_ = nullptr;
    spare_chunk spare_[most_spares];
    std::size_t spares_ = 0;
    std::atomic<bool> fork_hooked_{false};

    static constinit resource_registry process_;
};

template <class Core>
constinit resource_registry<Core> resource_registry<Core>::process_{};

} // namespace linn::inline LINN_ABI::detail

#endif
