// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_SPARE_CHUNKS_HPP
#define LINN_DETAIL_SYNC_SPARE_CHUNKS_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/policy.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Small chunks of the system that memory resources which are gone left for the next ones.
/// Constant-initialised and never destroyed. @threads any
class spare_chunks {
public:
    constexpr explicit spare_chunks(module_record& where) noexcept : part_{where, this, &on_event} {}
    spare_chunks(const spare_chunks&) = delete;
    spare_chunks& operator=(const spare_chunks&) = delete;

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

    static spare_chunks& process() noexcept;

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

inline spare_chunks& spare_chunks::process() noexcept {
    return the_spare_chunks;
}

} // namespace linn::inline LINN_ABI::detail

#endif
