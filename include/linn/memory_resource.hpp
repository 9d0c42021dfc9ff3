// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_MEMORY_RESOURCE_HPP
#define LINN_MEMORY_RESOURCE_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/size_classes.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/resource_core.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <vector>

namespace linn::inline LINN_ABI {

/// Options of a `pool_resource`.
struct pool_resource_options {
    /// Requests of more bytes than this, after rounding up to their alignment, go to upstream one by one.
    /// At most 128 KiB. 0: that over pages of the system, where larger blocks are an expense to `new` as well;
    /// 32 KiB over an upstream.
    std::size_t largest_pooled_bytes = 0;
    /// Largest slab, rounded up to a power of two between 4 KiB and 1 MiB, or to eight slots where that is
    /// more. 0: 64 KiB from an upstream, 1 MiB from the system.
    std::size_t slab_bytes = 0;
    /// Bytes of empty slabs that each size class keeps for reuse. What is more goes back once it has stayed
    /// unused for a second, some slabs at each visit of a depot, or by `trim()`.
    std::size_t retain_bytes = std::size_t{1} << 20;
    /// Most bytes that may be taken from the system and from upstream together: slabs, with what is handed out or not,
    /// larger requests, and bookkeeping. Never exceeded. A request that would need more throws `std::bad_alloc`, after all
    /// empty slabs of other sizes were returned. 0: no limit.
    ///
    /// With a limit no thread caches slots, since what it caches would be missing elsewhere: each call takes a lock.
    /// Less than 32 KiB serve next to nothing.
    std::size_t max_bytes = 0;
};

/// A `std::pmr::memory_resource` that pools: like `std::pmr::synchronized_pool_resource`, with a cache for
/// each of up to 256 threads; others take a lock at each call. Requests are rounded up to one of 52 sizes; those of more
/// than 128 KiB (32 KiB over an upstream) go to upstream one by one.
///
/// - Any thread may allocate, and free what any thread allocated. A thread may exit at any time.
/// - Every alignment that is a power of two is honoured.
/// - `release()` and the destructor return everything, also blocks that are still in use.
/// - With an upstream all memory comes from it, bookkeeping included; without, slabs are pages of the
///   system and larger requests go to `std::pmr::new_delete_resource()`. The default resource is never used,
///   so a pool_resource may be the default resource.
///
/// The object itself takes about 4.5 KiB. It must outlive what is allocated from it, as any resource; see
/// `default_pool_resource()` for one that always does.
///
/// @complexity constant where nothing else is said
/// @threads allocate, deallocate, trim, statistics: any thread, at the same time
/// @source Bonwick, Adams: Magazines and Vmem, USENIX 2001; docs/reference/memory_resource.md
/// @snippet examples/26_memory_resource.cpp
class pool_resource : public std::pmr::memory_resource {
public:
    /// A resource over pages of the system. Takes no memory before its first use.
    pool_resource() noexcept : pool_resource{pool_resource_options{}} {}

    /// All memory comes from `upstream`, which must outlive this. It is asked by one thread at a time, so it
    /// need not be safe for threads. Null: as without one.
    explicit pool_resource(std::pmr::memory_resource* upstream) noexcept
        : pool_resource{pool_resource_options{}, upstream} {}

    explicit pool_resource(const pool_resource_options& o,
                           std::pmr::memory_resource* upstream = nullptr) noexcept
        : options_{filled_in(o, upstream)},
          largest_small_{detail::clamp(options_.largest_pooled_bytes, 1, detail::largest_small_bytes)},
          core_{settings(options_, upstream, this)} {}

    pool_resource(const pool_resource&) = delete;
    pool_resource& operator=(const pool_resource&) = delete;

    /// As `release()`.
    ~pool_resource() override = default;

    /// Frees all memory at once, also live blocks; the resource is then as new. The process keeps up to 1 MiB of
    /// the system's pages for the next resource, so that short-lived ones cost no page faults.
    /// @pre no other thread uses the resource, and no thread uses its blocks
    /// @complexity O(slabs + blocks of upstream)
    void release() noexcept { core_.release(); }

    /// Returns unused memory: caches of the calling thread, of threads that are over and of the depots at once, caches of
    /// other threads at their next visits. Empty slabs go to upstream or to the system; the system also gets free pages of
    /// slabs in use, and pages that destroyed resources left for the next one.
    /// @returns bytes returned
    /// @complexity O(cached slots + slabs)
    std::size_t trim() noexcept { return core_.trim(); }

    /// The upstream that it was made with; `new_delete_resource()` without one.
    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept {
        return static_cast<std::pmr::memory_resource*>(core_.upstream());
    }

    [[nodiscard]] const pool_resource_options& options() const noexcept { return options_; }

    /// Numbers of each size class in use, by size; last, with an `object_bytes` of 0, those of requests that
    /// went to upstream one by one, if there were any.
    /// @throws std::bad_alloc
    /// @complexity O(slabs + threads)
    [[nodiscard]] std::vector<pool_statistics> statistics() const {
        std::vector<pool_statistics> all;
        core_.statistics([&](const pool_statistics& s) { all.push_back(s); });
        return all;
    }

protected:
    /// @throws std::bad_alloc when `alignment` is no power of two, the size is too large, there is no
    /// memory, or at the limit of `max_bytes`; and what upstream throws. Nothing has changed then.
    /// @complexity some thirty-five instructions, no lock; once in half a cache a short lock. With a limit a lock each time
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (const std::size_t last = last_byte(bytes, alignment);
            last < largest_small_ && is_power_of_two(alignment)) [[LINN_DETAIL_LIKELY]] {
            if (void* p = nullptr; core_.pop(detail::small_class_of(last), p)) [[LINN_DETAIL_LIKELY]] {
                return detail::opened(p, bytes);
            }
        }
        return allocate_slow(bytes, alignment);
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        if (const std::size_t last = last_byte(bytes, alignment);
            last < largest_small_ && is_power_of_two(alignment)) [[LINN_DETAIL_LIKELY]] {
            const unsigned c = detail::small_class_of(last);
            closed(p, c);
            if (core_.push(c, p)) [[LINN_DETAIL_LIKELY]] {
                return;
            }
        }
        deallocate_slow(p, bytes, alignment);
    }

    /// Each resource is equal to itself only.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

private:
    using core_type = detail::resource_core<detail::platform>;

    static detail::resource_settings
    settings(const pool_resource_options& o, std::pmr::memory_resource* upstream, const void* pool) noexcept {
        detail::resource_settings s;
        s.own_pages = upstream == nullptr;
        s.memory_stays = s.own_pages || upstream == std::pmr::new_delete_resource();
        s.upstream.context = upstream != nullptr ? upstream : std::pmr::new_delete_resource();
        s.upstream.get = [](void* context, std::size_t bytes, std::size_t align) {
            return static_cast<std::pmr::memory_resource*>(context)->allocate(bytes, align);
        };
        s.upstream.put = [](void* context, void* p, std::size_t bytes, std::size_t align) {
            static_cast<std::pmr::memory_resource*>(context)->deallocate(p, bytes, align);
        };
        s.slab_bytes = o.slab_bytes;
        s.retain_bytes = o.retain_bytes;
        s.max_bytes = o.max_bytes != 0 ? o.max_bytes : SIZE_MAX;
        s.pool = pool;
        return s;
    }

    static pool_resource_options filled_in(pool_resource_options o,
                                           const std::pmr::memory_resource* upstream) noexcept {
        const std::size_t usual = upstream == nullptr ? detail::largest_class_bytes : std::size_t{32} << 10;
        const std::size_t wished = o.largest_pooled_bytes != 0 ? o.largest_pooled_bytes : usual;
        o.largest_pooled_bytes = detail::clamp(wished, 1, detail::largest_class_bytes);
        o.slab_bytes = o.slab_bytes != 0 ? o.slab_bytes : std::size_t{1} << (upstream == nullptr ? 20 : 16);
        return o;
    }

    static bool is_power_of_two(std::size_t n) noexcept {
        std::size_t below = n - 1;
        // Else Clang counts the bits of `n`: twenty instructions on x86-64, whose oldest processors have none for that.
        LINN_DETAIL_HIDE_FROM_CLANG(below);
        return (n & below) == 0;
    }

    /// The last byte of the smallest multiple of `alignment` that holds `bytes`. More than any size for no bytes and for an
    /// alignment of 0. @pre `alignment` is a power of two, or the result is not used
    static constexpr std::size_t last_byte(std::size_t bytes, std::size_t alignment) noexcept {
        return (bytes - 1) | (alignment - 1);
    }

    [[LINN_DETAIL_NOINLINE]] void* allocate_slow(std::size_t bytes, std::size_t alignment) {
        if (alignment == 0 || !is_power_of_two(alignment)) {
            detail::throw_bad_alloc();
        }
        const std::size_t some = bytes != 0 ? bytes : 1;
        const std::size_t last = last_byte(some, alignment);
        const bool fits = last < options_.largest_pooled_bytes;
        const bool pooled = fits && !core_.bypasses();
        // A memory checker is to see every block. Not by way of upstream, which may be an arena that
        // counts on little being asked of it.
        void* p = pooled ? core_.take(detail::class_of(last + 1))
                         : core_.take_block(bytes, alignment,
                                            fits ? detail::block_origin::operator_new
                                                 : detail::block_origin::upstream);
        if (p == nullptr) {
            detail::throw_bad_alloc();
        }
        return pooled ? detail::opened(p, bytes) : p;
    }

    [[LINN_DETAIL_NOINLINE]] void deallocate_slow(void* p, std::size_t bytes,
                                                  std::size_t alignment) noexcept {
        const std::size_t some = bytes != 0 ? bytes : 1;
        const std::size_t last = last_byte(some, alignment);
        if (last < options_.largest_pooled_bytes && is_power_of_two(alignment) && !core_.bypasses()) {
            const unsigned c = detail::class_of(last + 1);
            closed(p, c);
            core_.put(c, p);
        } else {
            core_.put_block(p, bytes, alignment);
        }
    }

    static void closed([[maybe_unused]] void* p, [[maybe_unused]] unsigned c) noexcept {
        // A checked build does not know yet whether this is a slot at all.
        if constexpr (detail::poisons_slots && !detail::checked_build) {
            detail::poison(p, detail::class_bytes(c));
        }
    }

    pool_resource_options options_;
    std::size_t largest_small_; ///< whose class is read from a table
    mutable core_type core_;
};

namespace detail {
inline constinit immortal<pool_resource> the_default_resource{this_module};
} // namespace detail

/// A resource for the whole process that is never destroyed: usable from static constructors to static
/// destructors, and in destructors of thread-local objects, so containers that use it may be destroyed in
/// any order. Its memory is reused, and goes back by `trim()`; do not `release()` what you do not own.
///
/// Each module of a program that hides its symbols has its own.
/// @threads any @complexity one load
/// @snippet examples/27_default_pool_resource.cpp
[[nodiscard]] inline pool_resource* default_pool_resource() noexcept {
    return detail::the_default_resource.get();
}

} // namespace linn::inline LINN_ABI

#endif
#endif
