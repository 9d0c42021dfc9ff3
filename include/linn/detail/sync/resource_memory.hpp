// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_MEMORY_HPP
#define LINN_DETAIL_SYNC_RESOURCE_MEMORY_HPP

#include <linn/config.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/chunk_source.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/spare_chunks.hpp>
#include <linn/detail/sync/tracked_blocks.hpp>

#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// Where the memory of one resource comes from and goes to, and how much it may be. What it takes is counted before it is
/// taken, and until it is back, so the count is never less than what is out.
///
/// @threads any; a resource with a limit takes memory, and returns what is not used, in its `turn`
template <class Policy>
class resource_memory {
public:
    /// @param own_pages chunks come from the system, not from upstream
    /// @param most bytes that may be out; SIZE_MAX: no limit
    /// @param owner of the locks; no fork waits for them, but their owner resets them in the child
    resource_memory(const chunk_functions& upstream, bool own_pages, std::size_t most,
                    fork_stopper& owner) noexcept
        : source_{upstream, owner},
          growth_{owner},
          own_pages_{own_pages},
          most_{most} {}

    [[nodiscard]] bool limited() const noexcept { return most_ != SIZE_MAX; }
    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    /// Free bytes below the limit. @pre it is the caller's turn, else others take them meanwhile
    [[nodiscard]] std::size_t room() const noexcept { return most_ - taken_.load(std::memory_order_relaxed); }

    /// With a limit, one thread at a time: no thread is refused memory that another one is about to share, or to
    /// return. Held while upstream is called. Without a limit it is every thread's turn.
    class turn {
    public:
        explicit turn(resource_memory& m) noexcept : memory_{m} {
            if (m.limited()) {
                m.growth_.lock();
            }
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() {
            if (memory_.limited()) {
                memory_.growth_.unlock();
            }
        }

    private:
        resource_memory& memory_;
    };

    /// For slabs and bookkeeping. Null when there is none. @pre bytes <= room()
    /// @param offset it begins that far behind a multiple of `align`; always 0 for upstream
    /// @throws what upstream throws; nothing has changed then
    void* get_chunk(std::size_t bytes, std::size_t align, std::size_t offset = 0) {
        charge c{*this, bytes};
        if (!own_pages_) {
            return c.keep(source_.get(bytes, align));
        }
        void* spare = spare_chunks::process().take(bytes, align, offset);
        return c.keep(spare != nullptr ? spare : Policy::pages::map(bytes, align, offset));
    }

    /// @param may_keep for the next resource, rather than give it to the system
    void put_chunk(void* p, std::size_t bytes, std::size_t align, bool may_keep = false) noexcept {
        if constexpr (sanitizer_poison) {
            unpoison(p, bytes);
        }
        if (!own_pages_) {
            source_.put(p, bytes, align);
        } else {
            const spare_chunks::chunk given{p, bytes, align};
            const spare_chunks::chunk gone = may_keep ? spare_chunks::process().keep(given) : given;
            if (gone.memory != nullptr) {
                Policy::pages::unmap(gone.memory, gone.bytes, gone.align);
            }
        }
        credit(bytes);
    }

    /// For a block in no slab. As `get_chunk`.
    void* get_block(std::size_t bytes, std::size_t align, block_origin origin) {
        charge c{*this, bytes};
        return c.keep(origin == block_origin::upstream
                          ? source_.get(bytes, align)
                          : ::operator new(bytes, std::align_val_t{align}, std::nothrow));
    }

    void put_block(void* base, std::size_t bytes, std::size_t align, block_origin origin) noexcept {
        if (origin == block_origin::upstream) {
            source_.put(base, bytes, align);
        } else {
            ::operator delete(base, std::align_val_t{align});
        }
        credit(bytes);
    }

    [[nodiscard]] void* upstream() const noexcept { return source_.context(); }

    /// For the child of a fork, which waits for neither lock: what is called under them may take any other. A thread that
    /// is gone may have left bytes counted; they are lost too.
    void reset_locks() noexcept {
        source_.reset_lock();
        growth_.reset();
    }

private:
    /// Counts bytes, unless nothing comes of them.
    class charge {
    public:
        charge(resource_memory& m, std::size_t bytes) noexcept : memory_{m}, bytes_{bytes} {
            // relaxed: with a limit `growth_` orders it; else it is a number
            m.taken_.fetch_add(bytes, std::memory_order_relaxed);
        }
        charge(const charge&) = delete;
        charge& operator=(const charge&) = delete;
        ~charge() {
            if (!kept_) {
                memory_.credit(bytes_);
            }
        }
        void* keep(void* p) noexcept {
            kept_ = p != nullptr;
            return p;
        }

    private:
        resource_memory& memory_;
        std::size_t bytes_;
        bool kept_ = false;
    };

    void credit(std::size_t bytes) noexcept { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

    chunk_source<Policy> source_;
    typename Policy::mutex growth_;
    typename Policy::template atomic<std::size_t> taken_{0};
    bool own_pages_;
    std::size_t most_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
