// SPDX-License-Identifier: Apache-2.0

#include "sites.hpp"

#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/thread_exit.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>

#include <cerrno>
#include <new>

namespace linn::tool::pools {

constinit address_range range{};

namespace {

using detail::page_bytes;
using detail::system_pages;

constinit std::atomic<std::size_t> next_chunk{0};
constinit std::atomic<std::size_t> used_bytes{0};
constinit std::atomic<std::size_t> most_bytes{SIZE_MAX};

/// What the range may take where address space is limited, so that the program does not miss it. A program that runs
/// under such a limit has to get by with an eighth less.
std::size_t share_of_addresses() noexcept {
    rlimit limit{};
    return ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX
                                                                                  : limit.rlim_cur / 8;
}

bool try_to_reserve(std::size_t bytes) noexcept {
    void* const p =
        ::mmap(nullptr, bytes + chunk_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return false;
    }
    const auto raw = reinterpret_cast<std::uintptr_t>(p);
    const std::uintptr_t base = (raw + chunk_bytes - 1) & ~(chunk_bytes - 1);
    if (base != raw) {
        ::munmap(p, base - raw);
    }
    if (const std::size_t tail = raw + chunk_bytes - base; tail != 0) {
        ::munmap(reinterpret_cast<void*>(base + bytes), tail);
    }
    range.base = base;
    range.bytes.store(bytes, std::memory_order_relaxed);
    return true;
}

using detail::service;

/// Of a thread that was never here, and of one whose caches are gone.
constinit front all_zero[1 + pool_numbers]{};
constexpr front* no_fronts = all_zero + 1;

constinit std::uint32_t count = 0;

constinit bool had_threads = false; // when the process was copied

void on_fork(void*, detail::module_event e) noexcept {
    if (e == detail::module_event::before_fork) {
        had_threads = __libc_single_threaded == 0;
    } else if (e == detail::module_event::after_fork_in_child) {
        if (had_threads) {
            forget_scan_of_parent();
        }
        forget_writing_of_parent();
    }
}
constinit detail::module_part fork_part{detail::this_module, nullptr, &on_fork};

/// The fronts of a thread: pages of their own, which go back when it ends.
std::size_t bytes_of_fronts() noexcept {
    return detail::round_up((1 + std::size_t{count}) * sizeof(front), page_bytes);
}

void flush() noexcept {
    me.is_over = true;
    front* const fronts = me.fronts;
    me.fronts = no_fronts;
    if (fronts == no_fronts) {
        return;
    }
    const slow_path here;
    for (std::uint32_t i = 0; i != count; ++i) {
        if (fronts[i].home != nullptr) {
            fronts[i].home->detach(fronts[i]);
        }
    }
    system_pages::unmap(fronts - 1, bytes_of_fronts(), page_bytes);
}
constinit detail::late_thread_exit<&flush> at_thread_exit{detail::this_module};

/// Whether the calling thread holds a cache of the pool now.
bool attach(std::uint64_t number, depot& d) noexcept {
    if (d.mode() != service::cached || me.is_over) {
        return false;
    }
    if (me.fronts == no_fronts) {
        if (detail::module_ends()) {
            return false;
        }
        void* const memory = system_pages::map(bytes_of_fronts(), page_bytes);
        if (memory == nullptr) {
            return false;
        }
        auto* const fronts = static_cast<front*>(memory) + 1;
        ::new (fronts - 1) front;
        for (std::uint32_t i = 0; i != count; ++i) {
            ::new (fronts + i) front;
        }
        at_thread_exit.arm();
        me.fronts = fronts;
    }
    front& f = me.fronts[number];
    return f.home != nullptr || d.home_for_thread().attach(f, detail::current_thread());
}

constexpr std::uint64_t rest_ms = 100;

/// The home whose slab holds the block; null where no slab begins.
depot* depot_of(const void* block) noexcept {
    if (chunk_of(block) >= next_chunk.load(std::memory_order_relaxed)) {
        return nullptr; // no slab was ever mapped there
    }
    const detail::slab* const s = detail::slab::of(block, chunk_bytes);
    return s->is_slab() ? static_cast<depot*>(s->depot()) : nullptr;
}

} // namespace

bool reserve_range() noexcept {
    const std::size_t most = share_of_addresses();
    for (std::size_t bytes = most_chunks * chunk_bytes; bytes >= std::size_t{64} << 20; bytes /= 4) {
        if (bytes <= most && try_to_reserve(bytes)) {
            return true;
        }
    }
    return false;
}

void give_up_rest_of_range() noexcept {
    constexpr std::size_t closed = SIZE_MAX / 2;
    const std::size_t bytes = range.bytes.load(std::memory_order_relaxed);
    const std::size_t used = next_chunk.exchange(closed, std::memory_order_relaxed) * chunk_bytes;
    if (used >= bytes) {
        return;
    }
    range.bytes.store(used, std::memory_order_relaxed);
    ::munmap(reinterpret_cast<void*>(range.base + used), bytes - used);
}

void limit_slabs(std::uint64_t bytes) noexcept {
    most_bytes.store(bytes != 0 ? bytes : SIZE_MAX, std::memory_order_relaxed);
}

std::size_t slab_bytes() noexcept {
    return used_bytes.load(std::memory_order_relaxed);
}

void* range_pages::map(std::size_t bytes, std::size_t align) noexcept {
    if (align <= page_bytes) {
        return system_pages::map(bytes, align);
    }
    if (align != chunk_bytes || bytes > chunk_bytes) {
        return nullptr;
    }
    if (used_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes >
        most_bytes.load(std::memory_order_relaxed)) {
        used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
        return nullptr;
    }
    std::size_t chunk = next_chunk.load(std::memory_order_relaxed);
    const std::size_t chunks = range.bytes.load(std::memory_order_relaxed) / chunk_bytes;
    while (chunk < chunks && !next_chunk.compare_exchange_weak(chunk, chunk + 1, std::memory_order_relaxed)) {
    }
    void* const p = reinterpret_cast<void*>(range.base + chunk * chunk_bytes);
    if (chunk < chunks && ::mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0) {
        return p;
    }
    if (chunk < chunks) { // of two that fail at once, one chunk is lost
        std::size_t taken = chunk + 1;
        next_chunk.compare_exchange_strong(taken, chunk, std::memory_order_relaxed);
    }
    used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
}

void range_pages::unmap(void* p, std::size_t bytes, std::size_t align) noexcept {
    if (align <= page_bytes) {
        system_pages::unmap(p, bytes, align);
        return;
    }
    // Its addresses are not used again: this happens only where a slab could not be made.
    ::mmap(p, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

constinit pool_state pools[pool_numbers]{};

constinit thread_local thread_state me{no_fronts, false, false};

slow_path::slow_path() noexcept : errno_(errno), was_inside_(me.is_inside) {
    me.is_inside = true;
    std::atomic_signal_fence(std::memory_order_seq_cst); // a signal handler of this thread looks at it
}

slow_path::~slow_path() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    me.is_inside = was_inside_;
    if (!was_inside_) {
        write_wanted_statistics();
    }
    errno = errno_;
}

void set_pool_count(std::uint32_t pools_to_come) noexcept {
    count = pools_to_come;
    fork_part.join();
}
std::uint32_t pool_count() noexcept {
    return count;
}

void describe_pool(std::uint32_t number, std::string_view name, const planned_pool& planned) noexcept {
    pool_state& s = pools[number];
    detail::geometry_wishes w;
    w.slab_bytes = chunk_bytes;
    w.cache_line_padding = planned.is_padded != 0;
    w.huge_pages = planned.wants_huge_pages != 0;
    w.guarded = detail::checked_build;
    detail::geometry g = detail::make_geometry(planned.object_bytes, planned.align, w);
    if (w.huge_pages) {
        g.first_slab_bytes = chunk_bytes; // less than a huge page is none
    }
    s.description = {g, detail::label_of(name)};
}

bool make_pool(std::uint32_t number) noexcept {
    const slow_path here;
    pool_state& s = pools[number];
    return registry::process().depot_in(s.made, s.description) != nullptr;
}

void* refill(std::uint64_t number, const void* caller) noexcept {
    pool_state& s = pools[number];
    depot* const d = s.get();
    if (d == nullptr || me.is_inside) {
        return nullptr;
    }
    const slow_path here;
    if (const std::uint64_t again = s.again_ms.load(std::memory_order_relaxed);
        again != 0 && range_platform::clock::now_ms() < again) {
        s.refused.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    void* const block = attach(number, *d) ? me.fronts[number].home->take(me.fronts[number])
                                           : d->take_one(detail::trace_from(caller));
    if (block == nullptr) [[unlikely]] {
        s.refused.fetch_add(1, std::memory_order_relaxed);
        s.again_ms.store(range_platform::clock::now_ms() + rest_ms, std::memory_order_relaxed);
        return nullptr;
    }
    return block;
}

std::uint32_t pool_of(const void* block) noexcept {
    const std::size_t chunk = chunk_of(block);
    if (const unsigned known = range.pool_of_chunk[chunk].load(std::memory_order_relaxed); known != 0) {
        return known - 1;
    }
    depot* const d = depot_of(block);
    for (std::uint32_t i = 0; d != nullptr && i != count; ++i) {
        if (pools[i].get() == &d->primary()) {
            range.pool_of_chunk[chunk].store(static_cast<std::uint8_t>(i + 1), std::memory_order_relaxed);
            return i;
        }
    }
    return pool_numbers;
}

void give_slowly(void* block, const void* caller) noexcept {
    const std::uint32_t number = pool_of(block);
    if (number == pool_numbers) {
        detail::report({misuse_kind::foreign_pointer, "a plan", block, 1});
        return;
    }
    depot& d = *pools[number].get();
    if (me.fronts[number].try_push(block)) { // now that the pool is known
        return;
    }
    const slow_path here;
    if (attach(number, d)) {
        me.fronts[number].home->put(me.fronts[number], block);
    } else {
        d.put_one(block, detail::trace_from(caller));
    }
}

std::size_t trim_pools() noexcept {
    const slow_path here;
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i != count; ++i) {
        if (depot* const d = pools[i].get()) {
            d->any_home([&](depot& home) {
                bytes += home.trim(&me.fronts[i]);
                return false;
            });
        }
    }
    return bytes;
}

void check_pools() noexcept {
    for (std::uint32_t i = 0; i != count; ++i) {
        if (depot* const d = pools[i].get()) {
            d->any_home([](depot& home) {
                home.check_objects();
                return false;
            });
        }
    }
}

} // namespace linn::tool::pools
