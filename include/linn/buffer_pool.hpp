// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_BUFFER_POOL_HPP
#define LINN_BUFFER_POOL_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/allocator.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/buffer_store.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

/// @file
/// Large buffers, used again and again: of whole pages, never filled with zeros, and with their pages
/// still present, so that writing to a used one causes no page fault.

namespace linn::inline LINN_ABI {

/// Options of a `buffer_pool`.
struct buffer_options {
    /// A power of two; rounded up to a page. 0: a page.
    std::size_t alignment = 0;
    /// Which pages to ask for, for buffers of 2 MiB and more. Without such pages left, the pool uses others
    /// (`buffer::huge_pages`).
    huge_page_use huge_pages = huge_page_use::off;
    /// Make all pages of a new buffer present at once, so that not even its first use faults.
    bool prefault = false;
    /// Bytes of idle buffers that are kept, but at least one buffer; a buffer released beyond them returns
    /// to the system. 0: none is kept.
    std::size_t retain_bytes = std::size_t{64} << 20;
    /// Most bytes of all buffers together, used and idle. 0: no limit.
    std::size_t max_bytes = 0;
};

/// A `buffer_pool` at one moment. An object is a buffer: `object_bytes` is its size, `slot_bytes`
/// the capacity, `cached` the idle ones, `slabs` all. `resident_bytes` is an upper bound: untouched
/// pages are not in memory.
struct buffer_statistics : pool_statistics {
    std::size_t acquired = 0; ///< buffers acquired so far
    std::size_t mappings = 0; ///< times that a new one was taken from the system
};

/// A large buffer on loan from its `buffer_pool`, with one owner. Empty when default-constructed, moved
/// from or reset. What it holds is what the user before left there.
///
/// It stays valid when the pool is gone.
///
/// @complexity constant where nothing else is said
/// @threads as a pointer: one thread at a time, any thread may be the last
class buffer {
public:
    constexpr buffer() noexcept = default;
    buffer(buffer&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
    buffer& operator=(buffer&& other) noexcept {
        buffer{std::move(other)}.swap(*this);
        return *this;
    }
    [[LINN_DETAIL_ALWAYS_INLINE]] ~buffer() { reset(); }

    /// Null when empty.
    [[nodiscard]] std::byte* data() const noexcept {
        return block_ != nullptr ? block_->memory.data : nullptr;
    }
    /// What the pool was made for. 0 when empty.
    [[nodiscard]] std::size_t size() const noexcept { return block_ != nullptr ? block_->size : 0; }
    /// `size` rounded up to pages; all of it may be used. 0 when empty.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return block_ != nullptr ? block_->memory.bytes : 0;
    }
    [[nodiscard]] std::span<std::byte> span() const noexcept { return {data(), size()}; }

    [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }

    /// What the buffer has, at most what the pool asked for. `transparent`: the kernel was asked, and forms
    /// such pages if it can.
    [[nodiscard]] huge_page_use huge_pages() const noexcept {
        return block_ != nullptr ? block_->memory.huge : huge_page_use::off;
    }

    /// Gives the buffer back; nothing when empty, so a second call does no harm.
    /// @complexity no lock while the thread's cache has room; else a lock for a few instructions, `munmap` when enough are
    ///             kept or the pool is gone
    [[LINN_DETAIL_ALWAYS_INLINE]] void reset() noexcept {
        if (block* b = std::exchange(block_, nullptr); b != nullptr) {
            detail::buffer_store<>::release(b);
        }
    }

    /// Turns it into shared ownership; null when empty. This handle is empty afterwards.
    /// The control block comes from a `linn::pool`.
    /// @throws std::bad_alloc; the buffer is back in its pool then
    /// @complexity that of `pool::allocate`
    [[nodiscard]] std::shared_ptr<std::byte[]> share() && {
        if (block_ == nullptr) {
            return nullptr;
        }
        block* b = std::exchange(block_, nullptr);
        return {b->memory.data, returner{b}, allocator<std::byte>{}};
    }

    void swap(buffer& other) noexcept { std::swap(block_, other.block_); }
    friend void swap(buffer& a, buffer& b) noexcept { a.swap(b); }

private:
    friend class buffer_pool;
    using block = detail::buffer_store<>::block;

    /// What a shared_ptr to the buffer, or to an object in it, calls at its end.
    struct returner {
        block* held;
        template <class T>
        void operator()(T* p) const noexcept {
            if constexpr (!std::is_same_v<T, std::byte>) {
                p->~T();
            }
            detail::buffer_store<>::release(held);
        }
    };

    explicit buffer(block* b) noexcept : block_{b} {}

    block* block_ = nullptr;
};

/// Reuses large buffers of one size, 64 KiB to GiB: the memory stays mapped, its pages stay present, and
/// nothing fills it with zeros. A thread first reuses the buffer that it released last.
///
/// - A buffer can be returned on any thread, and after the pool is gone; it then goes to the system.
/// - Idle memory is bounded by `buffer_options::retain_bytes`, and goes back at once with `trim`.
/// - Under AddressSanitizer, Memcheck and `LINN_CHECKED`, touching a buffer that was returned, or what
///   lies behind its capacity, is an error that shows.
///
/// @complexity constant where nothing else is said. Where the system has no `membarrier` or the like (macOS, BSD), each
///             call takes a lock
/// @threads every function but the destructor: any thread, at the same time
/// @snippet examples/14_buffers.cpp
class buffer_pool {
    using store = detail::buffer_store<>;

public:
    /// Takes no memory for buffers yet.
    /// @throws std::invalid_argument for 0 bytes, an alignment that is no power of two, or a limit below
    ///         one buffer; std::length_error for more bytes than an address space has; std::bad_alloc
    explicit buffer_pool(std::size_t bytes, const buffer_options& options = {})
        : store_{store::make(plan_for(bytes, options, this))} {
        if (store_ == nullptr) {
            detail::throw_bad_alloc();
        }
    }
    buffer_pool(const buffer_pool&) = delete;
    buffer_pool& operator=(const buffer_pool&) = delete;

    /// Idle buffers go to the system, and those that are out when they come back. @complexity O(idle buffers)
    /// @threads no other call may run or follow, except what handles and shared_ptrs do
    ~buffer_pool() {
        store_->trim(); // first: while it is this pool that the observer hears of
        store_->close();
    }

    /// A buffer, with what its last user left in it. A new one is zero where it comes from the kernel;
    /// on systems without mmap it may hold anything.
    /// @throws std::bad_alloc when the system or `max_bytes` says no; the pool is usable afterwards
    /// @complexity no lock while the thread's cache has one; else a lock for a few instructions; a barrier in the
    ///             processors of the other threads when these cache what is idle; `mmap` when none is
    [[nodiscard]] [[LINN_DETAIL_ALWAYS_INLINE]] buffer acquire() {
        buffer got = try_acquire();
        if (!got) {
            detail::throw_bad_alloc();
        }
        return got;
    }

    /// As `acquire`, but empty when there is none.
    [[nodiscard]] [[LINN_DETAIL_ALWAYS_INLINE]] buffer try_acquire() noexcept {
        return buffer{store_->acquire()};
    }

    /// A buffer that goes back with its last `shared_ptr`; a `weak_ptr` does not hold it. The control
    /// block comes from a `linn::pool`.
    /// @throws std::bad_alloc as `acquire`
    /// @complexity that of `acquire`, and of `pool::allocate`
    [[nodiscard]] std::shared_ptr<std::byte[]> acquire_shared() { return acquire().share(); }

    /// A T in a buffer, default-initialised: members without initialiser keep what is there, as with
    /// `std::make_shared_for_overwrite`. The last `shared_ptr` destroys it and gives the buffer back.
    /// @throws std::invalid_argument when a T does not fit; std::bad_alloc; what the constructor throws:
    ///         the buffer is back in the pool then
    /// @complexity that of `acquire_shared`, and of the constructor
    /// @snippet examples/15_line_cache.cpp
    template <class T>
    [[nodiscard]] std::shared_ptr<T> make_shared_for_overwrite() {
        static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> &&
                          !std::is_volatile_v<T> && !std::is_same_v<T, std::byte>,
                      "linn::buffer_pool: an object of a class or scalar type; for bytes use acquire_shared");
        if (sizeof(T) > capacity() || alignof(T) > store_->plan().request.align) {
            detail::throw_argument_error<std::invalid_argument>(
                "linn::buffer_pool: the object does not fit into a buffer of this pool");
        }
        buffer place = acquire();
        T* p = ::new (static_cast<void*>(place.data())) T;
        buffer::block* b = std::exchange(place.block_, nullptr);
        return {p, buffer::returner{b}, allocator<std::byte>{}};
    }

    /// Sees to it that `buffers` are idle, so that as many can be acquired without asking the system, as
    /// long as no other thread takes them; and keeps as many from now on, also beyond `retain_bytes`.
    /// @throws std::bad_alloc when the system or `max_bytes` says no; what was made so far stays
    /// @complexity O(buffers), a mapping each
    void reserve(std::size_t buffers) {
        if (!store_->reserve(buffers)) {
            detail::throw_bad_alloc();
        }
    }

    /// Gives all idle buffers to the system. @returns bytes @complexity O(idle buffers)
    std::size_t trim() noexcept { return store_->trim() * capacity(); }

    /// Bytes that were asked for.
    [[nodiscard]] std::size_t bytes() const noexcept { return store_->plan().bytes; }
    /// The same, rounded up to pages; with reserved huge pages asked for, to those.
    [[nodiscard]] std::size_t capacity() const noexcept { return store_->plan().request.bytes; }
    /// Of every buffer.
    [[nodiscard]] std::size_t alignment() const noexcept { return store_->plan().request.align; }

    /// @complexity constant
    [[nodiscard]] buffer_statistics statistics() const noexcept {
        const detail::idle_counts c = store_->counts();
        buffer_statistics s{store_->statistics(c)};
        s.acquired = c.acquired;
        s.mappings = c.created;
        return s;
    }

private:
    static detail::buffer_plan plan_for(std::size_t bytes, const buffer_options& o, const void* pool) {
        if (bytes == 0) {
            detail::throw_argument_error<std::invalid_argument>("linn::buffer_pool: buffers of 0 bytes");
        }
        if ((o.alignment & (o.alignment - 1)) != 0) {
            detail::throw_argument_error<std::invalid_argument>(
                "linn::buffer_pool: the alignment is not a power of two");
        }
        const std::size_t page = detail::system_buffer_pages::page_bytes();
        const std::size_t align = o.alignment > page ? o.alignment : page;
        const std::size_t unit = o.huge_pages == huge_page_use::reserved ? detail::huge_page_bytes : page;
        // So that no sum of sizes in the layers below can overflow.
        constexpr std::size_t most = PTRDIFF_MAX / 2;
        if (align > most || bytes > most - align - detail::huge_page_bytes) {
            detail::throw_argument_error<std::length_error>(
                "linn::buffer_pool: a buffer larger than the address space");
        }
        const std::size_t rounded = (bytes + unit - 1) / unit * unit;
        if (o.max_bytes != 0 && o.max_bytes < rounded) {
            detail::throw_argument_error<std::invalid_argument>(
                "linn::buffer_pool: max_bytes is less than one buffer");
        }
        detail::buffer_plan plan;
        plan.bytes = bytes;
        plan.request = {.bytes = rounded, .align = align, .huge = o.huge_pages};
        plan.retain = o.retain_bytes != 0 && o.retain_bytes < rounded ? 1 : o.retain_bytes / rounded;
        plan.most = o.max_bytes / rounded;
        plan.prefault = o.prefault;
        plan.pool = pool;
        return plan;
    }

    store* store_;
};

} // namespace linn::inline LINN_ABI

#endif
#endif
