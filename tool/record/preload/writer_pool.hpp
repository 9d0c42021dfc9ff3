// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thread.hpp"

#include <atomic>
#include <cstdint>

namespace linn::tool::preload {

/// The memory of all writers. Grows, never shrinks; without locks. A writer whose thread has ended without giving it back
/// is found when the pool would have to grow.
class writer_pool {
public:
    /// A writer, all zero but for where its limit is; null if there is no memory. `owner`: the thread by the kernel's count.
    thread_writer* take(std::uint32_t owner) noexcept;
    void give_back(thread_writer* writer) noexcept;

    /// No writer has room until its thread says so again. False if one had.
    bool stop() noexcept;
    /// Takes the chunks of all writers away: each stays its thread's. @pre stop(), and no writer is in use
    void retire() noexcept;
    /// Calls `visit(thread, owner)` for each writer that a thread has.
    template <class Visit>
    void for_each_owned(Visit visit) noexcept {
        for (auto& entry : slabs_) {
            slab* const s = entry.load(std::memory_order_acquire); // pairs with take()
            for (std::uint32_t i = 0; s != nullptr && i != s->size; ++i) {
                if (const std::uint32_t owner = s->owners[i].load(std::memory_order_acquire); owner != 0) {
                    visit(s->writers[i].thread, owner);
                }
            }
        }
    }

    /// In a forked child: all writers are free.
    void clear() noexcept;
    /// Then: this one is never used again.
    void abandon(const thread_writer* writer) noexcept;

private:
    static constexpr unsigned slab_count = 18;
    static constexpr std::uint32_t first_slab = 32;

    struct slab {
        std::uint32_t size;
        std::atomic<std::uint32_t>* owners; ///< 0: free
        unsigned char** limits;             ///< wiped by a fork
        thread_writer* writers;
    };

    static slab* make(std::uint32_t size) noexcept;
    static bool is_thread_gone(std::uint32_t owner) noexcept;
    void reclaim() noexcept;

    std::atomic<slab*> slabs_[slab_count];
};

} // namespace linn::tool::preload
