// SPDX-License-Identifier: Apache-2.0
#include "range.hpp"

#include <linn/detail/core/geometry.hpp>

#include <sys/mman.h>
#include <sys/resource.h>

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

} // namespace

bool is_used_chunk(std::size_t chunk) noexcept {
    return chunk < next_chunk.load(std::memory_order_relaxed);
}

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

} // namespace linn::tool::pools
