// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_MEMORY_HPP
#define LINN_DETAIL_SYNC_RESOURCE_MEMORY_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/size_classes.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/types/pool_statistics.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

// Where the memory of a resource comes from: chunks for slabs and for bookkeeping, blocks in no slab, and what the observer is told.

namespace linn::inline LINN_ABI::detail {

/// Where an object that pools memory gets its own: a pair of functions and what they are called with.
struct chunk_functions {
    void* context = nullptr;
    void* (*get)(void* context, std::size_t bytes, std::size_t align) = nullptr; ///< may throw
    void (*put)(void* context, void* p, std::size_t bytes, std::size_t align) = nullptr;
};

/// What a resource was made with.
struct resource_settings {
    chunk_functions upstream;
    bool own_pages = true;    ///< slabs come from the system, not from upstream
    bool memory_stays = true; ///< when threads are gone: it is of the system or of operator new
    std::size_t slab_bytes = std::size_t{1} << 20;
    std::size_t retain_bytes = 0;
    std::size_t max_bytes = SIZE_MAX; ///< that are taken from upstream and the system
    const void* pool = nullptr;       ///< whom the observer hears of
};

/// Slabs hold sixteen of the largest slots. Where memory is the system's they are aligned as far apart
/// as they may grow, which costs addresses only; of an upstream no more is asked than needed. Below a limit they are a
/// sixteenth of it, so that each of many classes can have a part of it.
///
/// Each class puts its slabs behind another number of pages, five apart. If all began at the same address bits, the first pages of
/// thirty classes would compete for one set of the TLB: a server with 5000 blocks of 8 to 1000 bytes took 43 ns a
/// block so, 28 with offsets (docs/design/memory_resource.md).
///
/// @param offset_step what the offset must be a multiple of; 0: there is none
constexpr geometry resource_geometry(const resource_settings& s, unsigned c,
                                     std::size_t offset_step) noexcept {
    constexpr std::size_t kib = 1024;
    geometry g;
    g.slot_bytes = class_bytes(c);
    g.slot_align = class_align(c);
    const std::size_t least = std::bit_ceil(s.own_pages ? 16 * g.slot_bytes : 8 * g.slot_bytes);
    const std::size_t usual = std::bit_ceil(clamp(s.slab_bytes, page_bytes, kib * kib));
    const std::size_t share = std::bit_floor(clamp(s.max_bytes / 16, page_bytes, kib * kib));
    const std::size_t wished = usual < share ? usual : share;
    g.slab_align = wished > least ? wished : least;
    const std::size_t first = s.own_pages ? 64 * kib : 16 * kib;
    g.first_slab_bytes = first > least ? first : least;
    if (g.first_slab_bytes > g.slab_align) {
        g.first_slab_bytes = g.slab_align;
    }
    if (s.own_pages && offset_step != 0) {
        const std::size_t unit =
            offset_step > g.slot_align ? offset_step : g.slot_align; // slots stay aligned
        g.slab_offset = 5 * page_bytes * c % g.slab_align / unit * unit;
    }
    g.retain_bytes = s.retain_bytes;
    return g;
}

/// Small chunks of the system that memory resources which are gone left for the next ones.
/// Constant-initialised and never destroyed. @threads any
class spare_chunks {
public:
    constexpr explicit spare_chunks(module_record& where) noexcept : part_{where, this, &on_event} {}

    struct chunk {
        void* memory = nullptr;
        std::size_t bytes = 0;
        std::size_t align = 0;
    };

    /// A chunk of that size, `offset` behind a multiple of that alignment, which a resource left; null when there is none.
    /// Not zeroed.
    void* take(std::size_t bytes, std::size_t align, std::size_t offset) noexcept {
        lock_guard<mutex> guard{lock_};
        for (std::size_t i = count_; i-- != 0;) {
            void* const p = chunks_[i].memory;
            if (chunks_[i].bytes == bytes && chunks_[i].align == align &&
                reinterpret_cast<std::uintptr_t>(p) % align == offset) {
                chunks_[i] = chunks_[--count_];
                return p;
            }
        }
        return nullptr;
    }

    /// Keeps a small chunk for the next resource: one that lives for one container then costs no system call and no page
    /// fault. Where enough are kept, an older one goes in its place, so that no chunk that is never requested stays for good.
    /// @returns what the caller must unmap; its memory is null when that is nothing
    [[nodiscard]] chunk keep(chunk c) noexcept {
        if (c.bytes > largest_bytes) {
            return c;
        }
        lock_guard<mutex> guard{lock_};
        if (count_ < most) {
            chunks_[count_++] = c;
            return {};
        }
        next_to_go_ = (next_to_go_ + 1) % most;
        const chunk old = chunks_[next_to_go_];
        chunks_[next_to_go_] = c;
        return old;
    }

    /// Hands all of them to `put(memory, bytes, align)`, one at a time, with no lock held.
    template <class Put>
    void drop(Put&& put) noexcept {
        for (;;) {
            chunk s{};
            {
                lock_guard<mutex> guard{lock_};
                if (count_ == 0) {
                    return;
                }
                s = chunks_[--count_];
            }
            put(s.memory, s.bytes, s.align);
        }
    }

private:
    static constexpr std::size_t most = 16;
    static constexpr std::size_t largest_bytes = std::size_t{64} << 10;

    static void on_event(void* self, module_event e) noexcept {
        module_record::on_fork(static_cast<spare_chunks*>(self)->lock_, e);
    }

    module_part part_;
    mutex lock_{part_};
    chunk chunks_[most];
    std::size_t count_ = 0;
    std::size_t next_to_go_ = 0;
};

inline constinit spare_chunks the_spare_chunks{this_module};

/// The source of a block's memory, to which it is returned.
enum class block_origin : unsigned char { upstream, operator_new };

/// What stands before a block that is not in a slab, so that all of them can be found and freed.
struct tracked_block {
    tracked_block* next;
    tracked_block* previous;
    std::size_t bytes; ///< as asked for
    std::size_t align;
    std::uintptr_t magic; ///< magic_value ^ own address ^ the list's
    block_origin origin;

    static constexpr std::uintptr_t magic_value = static_cast<std::uintptr_t>(0x6c696e6e'626c6f63U);

    /// Room before a block of that alignment.
    static constexpr std::size_t head_bytes(std::size_t align) noexcept;

    [[nodiscard]] void* memory() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] void* base() noexcept { return static_cast<std::byte*>(memory()) - head_bytes(align); }
    [[nodiscard]] std::size_t total_bytes() const noexcept { return head_bytes(align) + bytes; }
    static tracked_block* before(void* memory) noexcept { return static_cast<tracked_block*>(memory) - 1; }
};

inline constexpr std::size_t block_align = sizeof(void*) * 2;
static_assert(sizeof(tracked_block) % block_align == 0);

constexpr std::size_t tracked_block::head_bytes(std::size_t align) noexcept {
    return round_up(sizeof(tracked_block), align < block_align ? block_align : align);
}

/// All blocks of one resource that are not in slabs: oversize ones, and every one where a memory
/// checker is to see them. A list under a lock. AddressSanitizer treats the heads as out of bounds to
/// everybody but the functions here.
template <class Policy>
class tracked_blocks {
public:
    using mutex_type = typename Policy::mutex;

    explicit tracked_blocks(fork_stopper& owner) noexcept : lock_{owner} {}

    /// Makes a block in `base`, which has head_bytes(align) + bytes. @returns the block's memory
    void* add(void* base, std::size_t bytes, std::size_t align, block_origin origin) noexcept {
        const std::size_t head = tracked_block::head_bytes(align);
        void* memory = static_cast<std::byte*>(base) + head;
        auto* b = ::new (static_cast<void*>(tracked_block::before(memory)))
            tracked_block{nullptr, nullptr, bytes, align, 0, origin};
        b->magic = magic_of(b);
        {
            lock_guard<mutex_type> guard{lock_};
            blocks_.push_front(b);
            bytes_ += b->total_bytes();
            peak_ = ++live_ > peak_ ? live_ : peak_;
        }
        poison(base, head);
        return memory;
    }

    /// What `take` found.
    enum class outcome : unsigned char { taken, unknown, other_size };

    /// Takes the block at `memory` out of the list, if it is one, and was made with that size and
    /// alignment. A checked build reads nothing that is not a block.
    outcome take(void* memory, std::size_t bytes, std::size_t align) noexcept {
        lock_guard<mutex_type> guard{lock_};
        tracked_block* b = tracked_block::before(memory);
        // What is not aligned as blocks are is none, and must not be read as one.
        if (reinterpret_cast<std::uintptr_t>(memory) % block_align != 0 ||
            (checked_build ? !contains_locked(b) : !is_block(b))) {
            return outcome::unknown;
        }
        if (!fits(b, bytes, align)) {
            return outcome::other_size;
        }
        take_out(b);
        return outcome::taken;
    }

    /// Passes every block to `put(block)`, with no lock held. @pre no other thread adds or takes one
    template <class Put>
    void give_up(Put&& put) noexcept {
        while (tracked_block* b = take_first()) {
            put(b);
        }
    }

    [[nodiscard]] bool contains(void* memory) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return contains_locked(tracked_block::before(memory));
    }

    /// All but the type.
    [[nodiscard]] pool_statistics statistics() noexcept {
        lock_guard<mutex_type> guard{lock_};
        pool_statistics s;
        s.live = live_;
        s.peak = peak_;
        s.reserved_bytes = s.resident_bytes = bytes_;
        return s;
    }

    mutex_type& lock() noexcept { return lock_; }

private:
    tracked_block* take_first() noexcept {
        lock_guard<mutex_type> guard{lock_};
        tracked_block* const b = blocks_.front();
        if (b != nullptr) {
            take_out(b);
        }
        return b;
    }

    void take_out(tracked_block* b) noexcept {
        unpoison(b, sizeof *b);
        unpoison(b->base(), tracked_block::head_bytes(b->align));
        blocks_.remove(b);
        bytes_ -= b->total_bytes();
        --live_;
        b->magic = 0;
    }

    // In the heads of other blocks, which are poisoned.
#define LINN_DETAIL_NO_ASAN [[LINN_DETAIL_NOINLINE]] LINN_DETAIL_UNCHECKED("address")
    /// Says whose block it is too: in the list of another resource it would damage both.
    std::uintptr_t magic_of(const tracked_block* b) const noexcept {
        return tracked_block::magic_value ^ reinterpret_cast<std::uintptr_t>(b) ^
               reinterpret_cast<std::uintptr_t>(this);
    }
    LINN_DETAIL_NO_ASAN bool is_block(const tracked_block* b) const noexcept {
        return b->magic == magic_of(b);
    }
    LINN_DETAIL_NO_ASAN static bool fits(const tracked_block* b, std::size_t bytes,
                                         std::size_t align) noexcept {
        return b->bytes == bytes && b->align == align;
    }
    LINN_DETAIL_NO_ASAN bool contains_locked(const tracked_block* wanted) const noexcept {
        const tracked_block* b = blocks_.front();
        while (b != nullptr && b != wanted) {
            b = b->next;
        }
        return b != nullptr;
    }
#undef LINN_DETAIL_NO_ASAN

    mutex_type lock_;
    linked_list<tracked_block, &tracked_block::next, &tracked_block::previous> blocks_;
    std::size_t live_ = 0;
    std::size_t peak_ = 0;
    std::size_t bytes_ = 0;
};

/// Where the memory of one resource comes from and goes to, and how much it may be. What it takes is counted before it is
/// taken, and until it is back, so the count is never less than what is out.
///
/// @threads any; a resource with a limit takes memory, and returns what is not used, in its `turn`
template <class Policy>
class resource_memory {
public:
    /// @param owner of the locks; no fork waits for them, but their owner resets them in the child
    resource_memory(const resource_settings& s, fork_stopper& owner) noexcept
        : settings{s},
          upstream_lock_{owner},
          growth_{owner} {}

    const resource_settings settings;

    [[nodiscard]] bool limited() const noexcept { return settings.max_bytes != SIZE_MAX; }
    /// Free bytes below the limit. @pre it is the caller's turn, else others take them meanwhile
    [[nodiscard]] std::size_t room() const noexcept {
        return settings.max_bytes - taken_.load(std::memory_order_relaxed);
    }

    /// What a `lock_guard` takes. With a limit, one thread at a time: no thread is refused memory that another one is about to
    /// share, or to return. Held while upstream is called. Without a limit it is every thread's turn.
    [[nodiscard]] typename Policy::mutex* turn() noexcept { return limited() ? &growth_ : nullptr; }

    /// For slabs and bookkeeping. Null when there is none. @pre bytes <= room()
    /// @param offset it begins that far behind a multiple of `align`; always 0 for upstream
    /// @throws what upstream throws; nothing has changed then
    void* get_chunk(std::size_t bytes, std::size_t align, std::size_t offset = 0) {
        return counted(bytes, [&] {
            if (!settings.own_pages) {
                return ask_upstream(bytes, align);
            }
            void* spare = the_spare_chunks.take(bytes, align, offset);
            return spare != nullptr ? spare : Policy::pages::map(bytes, align, offset);
        });
    }

    /// @param may_keep for the next resource, rather than give it to the system
    void put_chunk(void* p, std::size_t bytes, std::size_t align, bool may_keep = false) noexcept {
        if constexpr (sanitizer_poison) {
            unpoison(p, bytes);
        }
        if (!settings.own_pages) {
            return_to_upstream(p, bytes, align);
        } else {
            const spare_chunks::chunk given{p, bytes, align};
            const spare_chunks::chunk gone = may_keep ? the_spare_chunks.keep(given) : given;
            if (gone.memory != nullptr) {
                Policy::pages::unmap(gone.memory, gone.bytes, gone.align);
            }
        }
        credit(bytes);
    }

    /// For a block in no slab. As `get_chunk`.
    void* get_block(std::size_t bytes, std::size_t align, block_origin origin) {
        return counted(bytes, [&] {
            return origin == block_origin::upstream
                       ? ask_upstream(bytes, align)
                       : ::operator new(bytes, std::align_val_t{align}, std::nothrow);
        });
    }

    void put_block(void* base, std::size_t bytes, std::size_t align, block_origin origin) noexcept {
        if (origin == block_origin::upstream) {
            return_to_upstream(base, bytes, align);
        } else {
            ::operator delete(base, std::align_val_t{align});
        }
        credit(bytes);
    }

    /// For the child of a fork, which waits for neither lock: what is called under them may take any other. A thread that
    /// is gone may have left bytes counted; they are lost too.
    void reset_locks() noexcept {
        upstream_lock_.reset();
        growth_.reset();
    }

private:
    /// What `get()` returns. Its bytes are counted before it is called, unless nothing comes of it.
    template <class Get>
    void* counted(std::size_t bytes, Get&& get) {
        // relaxed: with a limit `growth_` orders it; else it is a number
        taken_.fetch_add(bytes, std::memory_order_relaxed);
        void* const p = start_or(get, [&] { credit(bytes); });
        if (p == nullptr) {
            credit(bytes);
        }
        return p;
    }

    // Calls the user's code, which need not be safe for threads: one at a time, and under no other lock but a turn, so that it may
    // do anything but call this again.
    void* ask_upstream(std::size_t bytes, std::size_t align) {
        lock_guard<typename Policy::mutex> guard{upstream_lock_};
        return settings.upstream.get(settings.upstream.context, bytes, align);
    }
    void return_to_upstream(void* p, std::size_t bytes, std::size_t align) noexcept {
        lock_guard<typename Policy::mutex> guard{upstream_lock_};
        settings.upstream.put(settings.upstream.context, p, bytes, align);
    }

    void credit(std::size_t bytes) noexcept { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

    typename Policy::mutex upstream_lock_;
    typename Policy::mutex growth_;
    typename Policy::template atomic<std::size_t> taken_{0};
};

/// Bookkeeping memory of one object: bumped from chunks that are brought to it, and given up all at
/// once. It never asks for memory itself, so no foreign code runs under its lock.
template <class Policy>
class chunk_arena {
public:
    static constexpr std::size_t chunk_bytes = std::size_t{16} << 10;
    static constexpr std::size_t chunk_align = cache_line_bytes;
    /// The most that `bump` can ever be asked for.
    static constexpr std::size_t most_bytes = chunk_bytes - cache_line_bytes;

    explicit chunk_arena(fork_stopper& owner) noexcept : lock_{owner} {}

    /// Memory aligned to a cache line; null when a chunk is needed first. @pre bytes <= most_bytes
    void* bump(std::size_t bytes) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        bytes = round_up(bytes, cache_line_bytes);
        if (bytes > left_) {
            return nullptr;
        }
        void* p = next_;
        next_ += bytes;
        left_ -= bytes;
        return p;
    }

    /// @pre `memory` has chunk_bytes, aligned to chunk_align
    void add(void* memory) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        chunks_ = ::new (memory) chunk{chunks_};
        next_ = static_cast<std::byte*>(memory) + cache_line_bytes;
        left_ = most_bytes;
    }

    /// Passes every chunk to `put(memory)`; the arena is then as new. @pre no other thread uses the arena
    template <class Put>
    void give_up(Put&& put) noexcept {
        next_ = nullptr; // first: a fork may copy the process between two chunks
        left_ = 0;
        while (chunk* c = chunks_) {
            chunks_ = c->older;
            put(static_cast<void*>(c));
        }
    }

    typename Policy::mutex& lock() noexcept { return lock_; }

private:
    struct chunk {
        chunk* older;
    };

    typename Policy::mutex lock_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    chunk* chunks_ = nullptr;
};

/// The type in reports about a resource. Of the module whose code reports: the one that made the resource may be gone.
inline constexpr std::string_view resource_type_name = "linn::pool_resource";

/// What one call of a resource did, which the observer is told at its end, when no lock is held any more.
class resource_news {
public:
    /// @param wanted bytes of a request, which failed unless it is `served`; 0: it is none
    explicit resource_news(const void* pool, std::size_t wanted = 0) noexcept
        : mapped_{pool_event_kind::slab_mapped, resource_type_name, pool},
          returned_{pool_event_kind::slab_returned, resource_type_name, pool},
          failed_{pool_event_kind::out_of_memory, resource_type_name, pool, wanted != 0 ? 1U : 0U, wanted} {}
    resource_news(const resource_news&) = delete;
    resource_news& operator=(const resource_news&) = delete;
    ~resource_news() {
        for (const pool_event* e : {&mapped_, &returned_, &failed_}) {
            if (e->count != 0) [[LINN_DETAIL_UNLIKELY]] {
                tell_observer(*e);
            }
        }
    }

    void* served(void* p) noexcept {
        failed_.count = 0;
        return p;
    }
    /// Why the request failed, if it did.
    void at_limit(bool is) noexcept {
        failed_.kind = is ? pool_event_kind::limit_reached : pool_event_kind::out_of_memory;
    }
    void mapped(std::size_t bytes) noexcept { add(mapped_, bytes); }
    void returned(std::size_t bytes) noexcept { add(returned_, bytes); }

private:
    static void add(pool_event& to, std::size_t bytes) noexcept {
        ++to.count;
        to.bytes += bytes;
    }

    pool_event mapped_;
    pool_event returned_;
    pool_event failed_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
