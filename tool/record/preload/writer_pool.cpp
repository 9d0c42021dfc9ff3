// SPDX-License-Identifier: Apache-2.0
#include "writer_pool.hpp"

#include "../../interpose/raw.hpp"
#include "image.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace linn::tool::preload {
namespace {

/// In the place of an owner while reclaim() looks at it.
constexpr std::uint32_t nobody = 0xffff'ffff;

} // namespace

writer_pool::slab* writer_pool::make(std::uint32_t size) noexcept {
    const std::size_t bytes =
        sizeof(slab) + size * (sizeof(std::atomic<std::uint32_t>) + sizeof(thread_writer));
    auto* const memory = static_cast<unsigned char*>(zeroed_memory(bytes));
    auto* const limits = static_cast<unsigned char**>(wiped_memory(size * sizeof(unsigned char*)));
    if (memory == nullptr || limits == nullptr) {
        if (memory != nullptr) {
            ::munmap(memory, bytes);
        }
        return nullptr;
    }
    auto* const result = new (memory) slab{};
    result->size = size;
    result->writers = reinterpret_cast<thread_writer*>(memory + sizeof(slab));
    result->owners = reinterpret_cast<std::atomic<std::uint32_t>*>(result->writers + size);
    result->limits = limits;
    return result;
}

thread_writer* writer_pool::take(std::uint32_t owner) noexcept {
    bool has_reclaimed = false;
    for (unsigned k = 0; k != slab_count; ++k) {
        slab* s = slabs_[k].load(std::memory_order_acquire); // pairs with the exchange below
        if (s == nullptr) {
            if (k != 0 && !has_reclaimed) {
                has_reclaimed = true;
                reclaim();
                k = ~0u; // once more from the first
                continue;
            }
            slab* const fresh = make(first_slab << k);
            if (fresh == nullptr) {
                return nullptr;
            }
            if (slabs_[k].compare_exchange_strong(s, fresh,
                                                  std::memory_order_acq_rel)) { // pairs with the load above
                s = fresh; // or another thread was faster; its slab is as good, ours is lost
            }
        }
        for (std::uint32_t i = 0; i != s->size; ++i) {
            std::uint32_t expected = 0;
            if (s->owners[i].load(std::memory_order_relaxed) == 0 &&
                // Pairs with the release in give_back().
                s->owners[i].compare_exchange_strong(expected, owner, std::memory_order_acquire)) {
                thread_writer* const writer = &s->writers[i];
                std::memset(static_cast<void*>(writer), 0, sizeof *writer);
                s->limits[i] = nullptr;
                writer->out.bind(&s->limits[i]);
                return writer;
            }
        }
    }
    return nullptr;
}

void writer_pool::give_back(thread_writer* writer) noexcept {
    for (auto& entry : slabs_) {
        slab* const s = entry.load(std::memory_order_acquire); // pairs with take()
        if (s == nullptr) {
            return;
        }
        if (writer >= s->writers && writer < s->writers + s->size) {
            s->owners[writer - s->writers].store(0, std::memory_order_release); // pairs with take()
            return;
        }
    }
}

bool writer_pool::is_thread_gone(std::uint32_t owner) noexcept {
    return owner != 0 && owner != nobody && ::syscall(SYS_tgkill, current_image->kernel_pid, owner, 0) != 0 &&
           errno == ESRCH;
}

void writer_pool::reclaim() noexcept {
    for (auto& entry : slabs_) {
        slab* const s = entry.load(std::memory_order_acquire); // pairs with take()
        for (std::uint32_t i = 0; s != nullptr && i != s->size; ++i) {
            std::uint32_t owner = s->owners[i].load(std::memory_order_relaxed);
            if (is_thread_gone(owner) && s->owners[i].compare_exchange_strong(owner, nobody)) {
                hand_over(s->writers[i], false);
                s->owners[i].store(0, std::memory_order_release); // pairs with take()
            }
        }
    }
}

bool writer_pool::stop() noexcept {
    bool were_stopped = true;
    for (auto& entry : slabs_) {
        slab* const s = entry.load(std::memory_order_acquire); // pairs with take()
        for (std::uint32_t i = 0; s != nullptr && i != s->size; ++i) {
            unsigned char* const before = __atomic_exchange_n(&s->limits[i], nullptr, __ATOMIC_SEQ_CST);
            were_stopped = were_stopped && before == nullptr;
        }
    }
    return were_stopped;
}

void writer_pool::retire() noexcept {
    for (auto& entry : slabs_) {
        slab* const s = entry.load(std::memory_order_acquire); // pairs with take()
        for (std::uint32_t i = 0; s != nullptr && i != s->size; ++i) {
            if (s->owners[i].load(std::memory_order_relaxed) != 0) {
                s->limits[i] = nullptr;
                s->writers[i].out.abandon();
            }
        }
    }
}

void writer_pool::clear() noexcept {
    for (auto& entry : slabs_) {
        slab* const s = entry.load(std::memory_order_relaxed);
        for (std::uint32_t i = 0; s != nullptr && i != s->size; ++i) {
            s->owners[i].store(0, std::memory_order_relaxed);
            s->limits[i] = nullptr;
        }
    }
}

void writer_pool::abandon(const thread_writer* writer) noexcept {
    for (auto& entry : slabs_) {
        if (slab* const s = entry.load(std::memory_order_relaxed);
            s != nullptr && writer >= s->writers && writer < s->writers + s->size) {
            s->owners[writer - s->writers].store(nobody, std::memory_order_relaxed);
        }
    }
}

} // namespace linn::tool::preload
